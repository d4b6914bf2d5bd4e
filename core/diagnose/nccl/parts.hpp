// Parts of reading a log of NCCL that know nothing of other lines.
#pragma once

#include <string_view>

#include "core/diagnose/nccl/log.hpp"

namespace meshgauge::nccl {

inline constexpr std::size_t most_kept = 200;  ///< sayings of a kind
inline constexpr std::size_t longest_text = 240;
inline constexpr std::size_t most_members = 65536;  ///< of a group

/// Keeps a sentence, or counts it once more.
void say(NcclLog&, std::vector<NcclSaying>&, std::string_view text, std::int64_t line);

/// "Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/1/GDRDMA", "Channel 00/02 : 0 1 2 3"; "Ring", "CollNet" likewise.
void take_channel(NcclLog&, std::string_view text, std::int64_t line);
/// "16 coll channels, 0 collnet channels, 16 nvls channels, 32 p2p channels, ..."
void take_channels(NcclLog&, std::string_view text);
/// "NCCL_IB_DISABLE set by environment to 1.", "NCCL_IB_HCA set to mlx5_0"
void take_variable(NcclLog&, std::string_view text, std::int64_t line);
/// "AllReduce: 65536 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}", before 2.24 by numbers.
void take_choice(NcclLog&, std::string_view text);
/// "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=1, ...)"
void take_timeout(NcclLog&, std::string_view text, std::int64_t line);

}  // namespace meshgauge::nccl
