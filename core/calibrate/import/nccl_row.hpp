// One row of the tables of nccl-tests and rccl-tests, wherever in a line it stands and whatever is glued to it.
#pragma once

#include <array>
#include <optional>

#include "core/calibrate/import/decimal.hpp"

namespace meshgauge {

/// What the header says of the columns. Versions: nccl-tests 1 (2017: "bytes N", milliseconds, `res`), 2.0 (2019: "size
/// count", `error`, redop and root only where they mean something), 2.13 (2022: always redop and root, `#wrong`), 2.17
/// (wide times), 2.19 (`i_min` ... of single iterations).
struct NcclColumns {
  bool known = false;  ///< a header has been seen
  bool redop = false, root = false;
  int halves = 2;
  bool only_in_place = false;
  bool milliseconds = false;
  bool cpu_time = false;
  bool counts_wrong = false;  ///< `#wrong`; else the largest error
  int iteration_columns = 0;  ///< after each half
};

struct NcclHalf {
  Decimal time, algbw, busbw;
  std::optional<double> wrong;  ///< elements, or the largest error; nothing: N/A, or cut off
  bool in_place = false;
};

struct NcclRow {
  std::int64_t bytes = 0, count = 0, width = 0;  ///< width: bytes of an element
  std::string_view type, redop;
  std::optional<std::int64_t> root;
  bool blank_redop = false;  ///< the column is there and empty: all-to-all of 2020 and 2021
  std::array<NcclHalf, 2> halves;
  int found = 0;  ///< halves
};

/// `whole` as in Line. Nothing if the line holds no row.
[[nodiscard]] std::optional<NcclRow> nccl_row_in(std::string_view line, bool whole, const NcclColumns&);

/// The rest of a row that other output tore apart: adds halves. False if the line is something else.
bool continue_nccl_row(std::string_view line, bool whole, const NcclColumns&, NcclRow&);

/// Whether a line ends like a row, though it does not begin like one.
[[nodiscard]] bool ends_like_nccl_row(std::string_view line);

/// A row that was cut so early that no type is left: one or two whole numbers.
[[nodiscard]] bool is_cut_nccl_row(std::string_view line);

/// Bytes of an element of the type that nccl-tests calls so; 0: none.
[[nodiscard]] std::int64_t nccl_type_width(std::string_view type);

[[nodiscard]] std::optional<NcclColumns> nccl_columns_in(std::string_view header);

}  // namespace meshgauge
