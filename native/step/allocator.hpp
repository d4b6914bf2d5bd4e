// Memory of a training step, counted: what each line of the ledger holds, phase by phase.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "core/count/ledger.hpp"
#include "native/harness/device.hpp"

namespace meshgauge::step {

/// Blocks that were given back serve later requests of the same size, so that a step asks the device for nothing after
/// the first. `line` is an id of the core's ledger, or of something that the ledger does not list; it has to outlive
/// the allocator.
class Allocator {
 public:
  /// Bytes of one line: now, and the most of each phase.
  struct Line {
    std::size_t held = 0;
    std::array<std::size_t, phase_count> peaks{};
  };
  using Key = std::pair<Category, std::string_view>;

  explicit Allocator(harness::Device& device) : device_(device) {}
  ~Allocator() { give_all_back(); }
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  [[nodiscard]] harness::Device& device() const { return device_; }
  [[nodiscard]] const std::map<Key, Line>& lines() const { return lines_; }
  /// The most that all lines together held.
  [[nodiscard]] const Line& total() const { return total_; }
  [[nodiscard]] std::size_t peak(Category category, std::string_view id, Phase phase) const {
    const auto found = lines_.find({category, id});
    return found == lines_.end() ? 0 : found->second.peaks[static_cast<std::size_t>(phase)];
  }

  /// What is held now is also held in the phase that begins.
  void enter(Phase phase) {
    phase_ = static_cast<std::size_t>(phase);
    for (auto& [key, line] : lines_) note(line);
    note(total_);
  }
  void forget_peaks() {
    for (auto& [key, line] : lines_) line.peaks = {};
    total_.peaks = {};
    enter(static_cast<Phase>(phase_));
  }

  [[nodiscard]] void* take(std::size_t bytes, const Key& key) {
    void* data = reuse(bytes);
    if (!data) data = allocate(bytes);
    count(key, bytes);
    return data;
  }
  void give_back(void* data, std::size_t bytes, const Key& key) {
    lines_[key].held -= bytes;
    total_.held -= bytes;
    unused_.emplace(bytes, data);
  }
  void move(std::size_t bytes, const Key& from, const Key& to) {
    lines_[from].held -= bytes;
    total_.held -= bytes;
    count(to, bytes);
  }

 private:
  void note(Line& line) const { line.peaks[phase_] = std::max(line.peaks[phase_], line.held); }
  void count(const Key& key, std::size_t bytes) {
    for (Line* line : {&lines_[key], &total_}) {
      line->held += bytes;
      note(*line);
    }
  }
  [[nodiscard]] void* reuse(std::size_t bytes) {
    const auto found = unused_.find(bytes);
    if (found == unused_.end()) return nullptr;
    void* data = found->second;
    unused_.erase(found);
    return data;
  }
  [[nodiscard]] void* allocate(std::size_t bytes) {
    // Blocks of other sizes go back first, or they would stay beside the new one for ever.
    if (device_.free_bytes() < bytes) give_all_back();
    return device_.allocate(bytes);
  }
  void give_all_back() {
    device_.synchronize();
    for (const auto& [bytes, data] : unused_) device_.release(data);
    unused_.clear();
  }

  harness::Device& device_;
  std::map<Key, Line> lines_;
  Line total_;
  std::multimap<std::size_t, void*> unused_;
  std::size_t phase_ = 0;
};

/// An array of the step, counted under its line for as long as it lives.
template <class T>
class Array {
 public:
  Array() = default;
  Array(Allocator& allocator, std::size_t size, Category category, std::string_view line)
      : allocator_(&allocator), size_(size), key_(category, line) {
    data_ = static_cast<T*>(allocator.take(bytes(), key_));
  }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    Array old;
    swap(old);
    swap(other);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    if (allocator_) allocator_->give_back(data_, bytes(), key_);
  }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
  explicit operator bool() const { return allocator_ != nullptr; }

  /// The same memory under another line: what it is for has changed.
  void relabel(Category category, std::string_view line) {
    allocator_->move(bytes(), key_, {category, line});
    key_ = {category, line};
  }

 private:
  void swap(Array& other) noexcept {
    std::swap(allocator_, other.allocator_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(key_, other.key_);
  }

  Allocator* allocator_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  Allocator::Key key_;
};

}  // namespace meshgauge::step
