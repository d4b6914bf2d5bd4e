#include "core/engine/engine.hpp"

#include "core/engine/aleph_alpha.hpp"
#include "core/engine/ddp.hpp"
#include "core/engine/deepspeed.hpp"
#include "core/engine/dp.hpp"
#include "core/engine/fsdp.hpp"
#include "core/engine/hf.hpp"
#include "core/engine/megatron.hpp"
#include "core/engine/megatron_deepspeed.hpp"
#include "core/engine/single.hpp"
#include "core/engine/torchtitan.hpp"

namespace meshgauge {

const EngineDescription& describe_engine(Engine engine) {
  switch (engine) {
    case Engine::single:
      return engines::single;
    case Engine::dp:
      return engines::dp;
    case Engine::ddp:
      return engines::ddp;
    case Engine::fsdp1:
      return engines::fsdp1;
    case Engine::fsdp2:
      return engines::fsdp2;
    case Engine::deepspeed:
      return engines::deepspeed;
    case Engine::megatron:
      return engines::megatron;
    case Engine::hf:
      return engines::hf;
    case Engine::megatron_deepspeed:
      return engines::megatron_deepspeed;
    case Engine::torchtitan:
      return engines::torchtitan;
    case Engine::aleph_alpha:
      return engines::aleph_alpha;
  }
  return engines::single;
}

const EngineDescription& describe_engine(Engine engine, std::int64_t zero_stage) {
  return engine == Engine::hf && zero_stage > 0 ? engines::hf_sharded : describe_engine(engine);
}

}  // namespace meshgauge
