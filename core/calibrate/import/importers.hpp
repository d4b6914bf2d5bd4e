// The importers of text, one file each. A new one is declared here and entered in the table of importers.cpp.
#pragma once

#include <span>

#include "core/calibrate/import/importer.hpp"

namespace meshgauge {

extern const Importer all_reduce_bench;  ///< ml-engineering's all_reduce_bench.py
extern const Importer deepspeed_log;     ///< throughput and wall clock lines, see_memory_usage
extern const Importer hf_trainer;        ///< speed metrics of transformers' Trainer
extern const Importer megatron_log;      ///< Megatron-LM, Megatron-DeepSpeed
extern const Importer nanotron_log;
extern const Importer nccl_tests;   ///< nccl-tests and rccl-tests
extern const Importer nvbandwidth;  ///< matrices
extern const Importer osu;          ///< OSU micro-benchmarks
extern const Importer p2p_test;     ///< CUDA's p2pBandwidthLatencyTest
extern const Importer perftest;     ///< ib_write_bw and its kin
extern const Importer torchtitan_log;
extern const Importer training_script;  ///< step lines of PyTorch scripts; asked last

[[nodiscard]] std::span<const Importer* const> text_importers();

}  // namespace meshgauge
