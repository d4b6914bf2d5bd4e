// Parameters one after the other in a flat array, and what of them lies in a part of it.
#pragma once

#include <vector>

#include "native/step/shape.hpp"

namespace meshgauge::step {

/// Some parameters in a row, padded to a multiple of the ranks that share it.
struct Flat {
  std::vector<std::size_t> places;
  std::vector<std::size_t> offsets;  ///< of each place
  std::size_t elements = 0;          ///< without padding
  std::size_t ranks = 1;

  [[nodiscard]] std::size_t part() const { return (elements + ranks - 1) / ranks; }
  [[nodiscard]] std::size_t padded() const { return part() * ranks; }
};
[[nodiscard]] inline Flat flat_of(const ParameterList& list, const std::vector<std::size_t>& places,
                                  std::size_t ranks) {
  Flat flat;
  flat.places = places;
  flat.ranks = ranks;
  for (const std::size_t place : places) {
    flat.offsets.push_back(flat.elements);
    flat.elements += list.all[place].elements;
  }
  return flat;
}

/// Elements of one parameter inside a part of a flat array.
struct Piece {
  std::size_t place;
  std::size_t first;   ///< element of the parameter
  std::size_t offset;  ///< in the flat array
  std::size_t count;
};
/// The pieces from `begin` to `end`, padding left out.
[[nodiscard]] inline std::vector<Piece> pieces_of(const Flat& flat, const ParameterList& list, std::size_t begin,
                                                  std::size_t end) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < flat.places.size(); ++i) {
    const std::size_t start = flat.offsets[i], stop = start + list.all[flat.places[i]].elements;
    const std::size_t from = begin > start ? begin : start, to = end < stop ? end : stop;
    if (from < to) pieces.push_back({flat.places[i], from - start, from, to - from});
  }
  return pieces;
}

/// Buckets that close when they hold at least as many elements as asked: the first may be smaller.
[[nodiscard]] inline std::vector<Flat> buckets_of(const ParameterList& list, std::size_t first, std::size_t others,
                                                  std::size_t ranks) {
  std::vector<Flat> buckets;
  std::vector<std::size_t> places;
  std::size_t held = 0;
  for (std::size_t i = 0; i < list.all.size(); ++i) {
    places.push_back(i);
    held += list.all[i].elements;
    if (held >= (buckets.empty() ? first : others) || i + 1 == list.all.size()) {
      buckets.push_back(flat_of(list, places, ranks));
      places.clear();
      held = 0;
    }
  }
  return buckets;
}

}  // namespace meshgauge::step
