{"version": 3, "args": ["./build/all_gather_perf", "-J", "out.json"], "nccl_version": 22903,
 "config": {"nthreads": 1, "ngpus": 2, "graph": 0, "devices": [
  {"rank": 0, "group": 0, "pid": 1, "hostname": "alpha", "device": 0, "device_hex": "0000:0f:00", "device_info": "NVIDIA H100 80GB HBM3"},
  {"rank": 1, "group": 0, "pid": 1, "hostname": "alpha", "device": 1, "device_hex": "0000:1f:00", "device_info": "NVIDIA H100 80GB HBM3"}]},
 "results": [
  {"size": 0, "count": 0, "type": "float", "redop": "none", "root": "    -1", "out_of_place": {"time": 1.0, "alg_bw": 0, "bus_bw": 0, "nwrong": 0.0}, "in_place": {"time": 1.0, "alg_bw": 0, "bus_bw": 0, "nwrong": 0.0}},
  {"size": 1024, "count": 128, "type": "float", "redop": "none", "root": "    -1", "out_of_place": {"time": 12.5, "alg_bw": 0.08192, "bus_bw": 0.04096, "nwrong": 0.0}, "in_place": {"time": 12.625, "alg_bw": 0.0811, "bus_bw": 0.0406, "nwrong": 2.0}}]}
