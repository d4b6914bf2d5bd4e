# Lightning-AI/litgpt#684: a model of 64,000 x 4,096 embeddings in fp32. The request as printed there; the rest written for the test.
OutOfMemoryError: CUDA out of memory. Tried to allocate 1000.00 MiB. GPU 0 has a total capacty of 39.39 GiB of which 521.38 MiB is free.
