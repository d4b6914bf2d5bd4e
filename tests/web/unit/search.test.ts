// What the search puts first.
import { found, type Entry } from '$page/search/entries';

const entry = (name: string, detail = '', words = ''): Entry => ({ id: name, kind: 'field', name, detail, words, run: () => {} });
const all = [entry('BLOOM 176B', '176 B', 'bloom-176b'), entry('Read an error', '', 'oom out of memory nccl log'), entry('TP overlap'), entry('Tensor parallel', 'TP', '/parallelism/tensor_parallel_size'), entry('核对一个说法')];

test.each([
  ['oom', 'Read an error'],
  ['tp', 'Tensor parallel'],
  ['bloom', 'BLOOM 176B'],
  ['tensor_parallel', 'Tensor parallel'],
  ['说法', '核对一个说法'],
  ['ＴＰ overlap', 'TP overlap'],
])('%s', (query, first) => expect(found(all, query)[0]?.name).toBe(first));

test('what a price is called finds its field', () => {
  const price = entry('Price of a GPU hour', '', '/cluster/usd_per_gpu_hour cost dollar 成本 价格');
  for (const query of ['cost', 'dollar', 'price', '成本', '价格']) expect(found([...all, price], query)[0]).toBe(price);
});
test('all words have to be there', () => expect(found(all, 'bloom tensor')).toEqual([]));
test('without words all are there', () => expect(found(all, ' ')).toHaveLength(all.length));
