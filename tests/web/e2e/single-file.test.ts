// The page as one file from a disk: no server, no network, every command.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { field, openReady, startSite, untilText, verdictFigure } from './support/site';

startSite();
const file = pathToFileURL(fileURLToPath(new URL('../../../web/dist-single/meshgauge.html', import.meta.url))).href;

test('opened from a disk it answers, searches and switches language, and asks nobody', async () => {
  const { page, complaints } = await openReady('', { url: file });
  const others: string[] = [];
  page.on('request', (request) => /^(blob|data|file):/.test(request.url()) || others.push(request.url()));
  const before = await page.textContent(verdictFigure);
  await page.fill(field('/training/micro_batch_size'), '2');
  await untilText(page, verdictFigure, before);
  await page.waitForSelector('.advice li');
  await page.click('#tab-step');
  await page.waitForSelector('#panel-step [aria-labelledby=roof-heading] tbody tr');
  await page.click('button[lang="zh-CN"]');
  await page.waitForSelector('html[lang="zh-CN"]');
  expect(others).toEqual([]);
  expect(complaints).toEqual([]);
});
