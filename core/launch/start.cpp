// Starting a program on every GPU: torchrun on one node, on several, and under Slurm.
#include "core/launch/start.hpp"

#include <algorithm>
#include <string_view>

#include "core/launch/environment.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

std::int64_t processes_per_node(const Scenario& s) { return std::min(s.cluster.gpus, s.cluster.gpus_per_node); }

std::string head_of(std::string_view what, const Program& program) {
  std::string text = "#!/usr/bin/env bash\n# " + std::string(what) +
                     "\nset -euo pipefail\ncd \"$(dirname \"${BASH_SOURCE[0]}\")\"\nsource ./env.sh\n";
  for (const std::string& file : program.sourced) text += "source ./" + file + '\n';
  return text;
}

/// One flag a line. torchrun before 2.0 knows underscores only (torch/distributed/run.py).
std::string started(const Program& program, const std::vector<std::string>& flags) {
  std::string text = program.launcher;
  for (const std::string& flag : flags) text += " \\\n  " + flag;
  return text + " \\\n  " + program.command;
}

std::vector<std::string> static_flags(const Scenario& s, const Program& program) {
  const std::string nodes = std::to_string(s.cluster.nodes());
  if (program.launcher != "torchrun") {
    return {"--machine_rank=\"$NODE_RANK\"", "--main_process_ip=\"$MASTER_ADDR\"",
            "--main_process_port=\"${MASTER_PORT:-29500}\""};
  }
  return {"--nnodes=" + nodes, "--nproc_per_node=" + std::to_string(processes_per_node(s)),
          "--node_rank=\"$NODE_RANK\"", "--master_addr=\"$MASTER_ADDR\"", "--master_port=\"${MASTER_PORT:-29500}\""};
}

std::vector<std::string> c10d_flags(const Scenario& s, const Program& program, const std::string& id) {
  const std::string nodes = std::to_string(s.cluster.nodes());
  if (program.launcher != "torchrun") {
    return {"--rdzv_backend=c10d", "--main_process_ip=\"$MASTER_ADDR\"",
            "--main_process_port=\"${MASTER_PORT:-29500}\""};
  }
  return {"--nnodes=" + nodes, "--nproc_per_node=" + std::to_string(processes_per_node(s)), "--rdzv_backend=c10d",
          "--rdzv_id=" + id, "--rdzv_endpoint=\"$MASTER_ADDR:${MASTER_PORT:-29500}\""};
}

void add_script(LaunchSet& set, const std::string& path, std::string text) {
  set.files.push_back({path, std::move(text), true});
}

LaunchSet files_of(const Scenario& s, const Program& program) {
  LaunchSet set;
  set.files = program.files;
  set.files.push_back({"env.sh", environment_script(s)});
  return set;
}

}  // namespace

LaunchSet with_start_scripts(const Scenario& s, Program program) {
  LaunchSet set = files_of(s, program);
  const std::string processes = std::to_string(processes_per_node(s));
  if (s.cluster.nodes() == 1) {
    std::vector<std::string> flags = {"--standalone", "--nproc_per_node=" + processes};
    if (program.launcher != "torchrun") flags.clear();
    add_script(
        set, "run.sh",
        head_of("One node of " + processes + " GPUs.", program) + "exec " + started(program, flags) + " \"$@\"\n");
    set.commands.push_back({"on the node", "./run.sh"});
    return set;
  }
  const std::string last = std::to_string(s.cluster.nodes() - 1);
  const std::string every = std::to_string(s.cluster.nodes()) + " nodes of " + processes + " GPUs";
  const std::string asks_address = ": \"${MASTER_ADDR:?set it to the name or address of the first node}\"\n";
  add_script(set, "run_static.sh",
             head_of(every + ", each told its number: NODE_RANK 0 to " + last + '.', program) +
                 ": \"${NODE_RANK:?set it to 0 on the first node, up to " + last + " on the last}\"\n" + asks_address +
                 "exec " + started(program, static_flags(s, program)) + " \"$@\"\n");
  set.commands.push_back(
      {"on every node, with its own NODE_RANK", "MASTER_ADDR=FIRST_NODE NODE_RANK=0 ./run_static.sh"});
  if (program.launcher == "torchrun") {
    add_script(set, "run_c10d.sh",
               head_of(every + ", which number themselves: the same command on all of them.", program) + asks_address +
                   "exec " + started(program, c10d_flags(s, program, "\"${JOB_ID:-job}\"")) + " \"$@\"\n");
    set.commands.push_back({"or the same on every node", "MASTER_ADDR=FIRST_NODE ./run_c10d.sh"});
  }
  return set;
}

LaunchSet with_slurm_job(const Scenario& s, Program program) {
  LaunchSet set = files_of(s, program);
  const std::string processes = std::to_string(processes_per_node(s));
  std::string job =
      "#!/usr/bin/env bash\n#SBATCH --job-name=train\n#SBATCH --nodes=" + std::to_string(s.cluster.nodes()) +
      "\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=" + processes +
      "\n#SBATCH --exclusive\n#SBATCH --output=%x-%j.log\n"
      "# Add what your cluster asks for: --partition, --account, --time.\n"
      "# One task a node, which starts one process for each of its GPUs.\n"
      "set -euo pipefail\ncd \"${SLURM_SUBMIT_DIR:-.}\"\nsource ./env.sh\n";
  for (const std::string& file : program.sourced) job += "source ./" + file + '\n';
  job +=
      "MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n"
      "export MASTER_ADDR MASTER_PORT=$((20000 + SLURM_JOB_ID % 20000))\n";
  job += "srun --kill-on-bad-exit=1 " + started(program, c10d_flags(s, program, "\"$SLURM_JOB_ID\"")) + " \"$@\"\n";
  set.files.push_back({"job.sbatch", std::move(job), true});
  set.commands.push_back({"on the login node", "sbatch job.sbatch"});
  return set;
}

void check_nodes(const Scenario& s, Findings& findings) {
  const Cluster& c = s.cluster;
  if (c.nodes() == 1 || c.gpus % c.gpus_per_node == 0) return;
  findings.add(path::gpus, "gpus is " + number_text(c.gpus) + ", which leaves a node of " +
                               number_text(c.gpus_per_node) +
                               " partly used. Launchers start as many processes on each node. Set " +
                               number_text(c.nodes() * c.gpus_per_node) + '.');
}

}  // namespace meshgauge
