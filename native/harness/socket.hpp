// TCP with deadlines: a connection that carries framed messages, and the socket that accepts them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace meshgauge::harness {

/// Owns a file descriptor.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool open() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

struct Message {
  std::uint8_t kind = 0;
  std::string text;
};

/// At any address; port 0: one that is free. Not open if the port is taken.
[[nodiscard]] Socket listen_at(int port);
[[nodiscard]] int port_of(const Socket&);
/// The next connection, none by the deadline (seconds of now_seconds()).
[[nodiscard]] Socket accept_until(const Socket& listener, double deadline);
/// Not open where nobody answers in `seconds`.
[[nodiscard]] Socket connect_to(const std::string& host, int port, double seconds);

/// False once the other side is gone. A write that cannot go on for a minute counts as that.
[[nodiscard]] bool send_message(const Socket&, const Message&);
/// Nothing once the other side is gone or has sent nonsense, or, with a deadline, if the message is not whole by then.
[[nodiscard]] std::optional<Message> receive_message(const Socket&, double deadline);

/// Addresses of this machine that others can reach, and its name: "host 10.0.0.1 192.168.0.1".
[[nodiscard]] std::string own_addresses();
[[nodiscard]] std::string host_name();

}  // namespace meshgauge::harness
