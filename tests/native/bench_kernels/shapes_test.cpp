// Shapes of products: as typed, and of models as their published configurations give them.
#include "native/kernels/shapes.hpp"

#include <algorithm>
#include <string>

#include "native/harness/failure.hpp"
#include "tests/support/catch.hpp"

using namespace meshgauge::harness;

namespace {

const ProductShape& find(const std::vector<ProductShape>& products, const std::string& of) {
  const auto at = std::find_if(products.begin(), products.end(), [&](const ProductShape& s) { return s.of == of; });
  REQUIRE(at != products.end());
  return *at;
}

bool is(const ProductShape& s, std::size_t m, std::size_t n, std::size_t k) { return s.m == m && s.n == n && s.k == k; }

}  // namespace

TEST_CASE("Shapes of products are read as they are typed") {
  const std::vector<ProductShape> shapes = shapes_of_text("--shapes", "64x32x16,8*1x2x3");
  REQUIRE(shapes.size() == 2);
  CHECK(is(shapes[0], 64, 32, 16));
  CHECK(shapes[0].groups == 1);
  CHECK(is(shapes[1], 1, 2, 3));
  CHECK(shapes[1].groups == 8);
  CHECK(shapes[1].flops() == 2 * 8 * 1 * 2 * 3);
  for (const char* bad :
       {"", "64x32", "64x32x16x8", "0x1x1", "-1x2x3", "1x2x3,", "1*2*3x4x5", "axbxc", "1x2x16777217"}) {
    CHECK_THROWS_AS(shapes_of_text("--shapes", bad), BadInput);
  }
}

// config.json of openai-community/gpt2: n_embd 768, n_head 12, vocab_size 50257.
TEST_CASE("The products of GPT-2 are those of its configuration, forward and backward") {
  const std::vector<ProductShape> products = products_of({.model = "gpt2-124m", .micro_batch = 2, .sequence = 512});
  CHECK(is(find(products, "qkv forward"), 1024, 3 * 768, 768));
  CHECK(is(find(products, "qkv input gradient"), 1024, 768, 3 * 768));
  CHECK(is(find(products, "qkv weight gradient"), 3 * 768, 768, 1024));
  CHECK(is(find(products, "mlp_up forward"), 1024, 4 * 768, 768));
}

// config.json of meta-llama/Llama-2-7b-hf: hidden_size 4096, intermediate_size 11008; gate and up are one product.
TEST_CASE("Tensor parallelism cuts the products of LLaMA 2") {
  const std::vector<ProductShape> products =
      products_of({.model = "llama-2-7b", .tensor_parallel = 4, .sequence = 4096});
  CHECK(is(find(products, "qkv forward"), 4096, 3 * 4096 / 4, 4096));
  CHECK(is(find(products, "mlp_up forward"), 4096, 2 * 11008 / 4, 4096));
  CHECK(is(find(products, "mlp_down forward"), 4096, 4096, 11008 / 4));
}

TEST_CASE("A layout that does not divide the model names the flag") {
  CHECK_THROWS_WITH(products_of({.model = "gpt2-124m", .tensor_parallel = 5}), Catch::Contains("--tp"));
  CHECK_THROWS_WITH(products_of({.model = "no-such-model"}), Catch::Contains("--model"));
  CHECK_THROWS_WITH(products_of({.model = "gpt2-124m", .sequence = 4096}), Catch::Contains("--seq"));
}
