/**
 * @file What people come for in clicks and seconds; the table of `--runs=1000` runs; and how quick the studio stays while a training goes on:
 * the time from a press to the next frame (INP), and the page's heap, over `--minutes=10` of live curves. Needs a Chromium (CHROMIUM_PATH) and the built page.
 */

import type { CDPSession, Page } from 'playwright-core';
import { callStudio, enter, noBrowser, openBrowser, removeFolder, startStudio, studioFolder, visit } from '../test/browser.ts';
import { sizeOf } from './_size.ts';
import { measureRuns } from './_studio-runs.ts';
import { measureTasks } from './_studio-tasks.ts';
import type { Figure, Flags } from './run.ts';

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  if (noBrowser !== null) return [{ name: 'interaction to next paint, p95', value: null, unit: 'ms', note: noBrowser }];
  const minutes = sizeOf(flags, 'minutes', 10, 0.02);
  const studio = await startStudio(studioFolder());
  const browser = await openBrowser();
  try {
    const context = await browser.newContext({ viewport: { width: 1360, height: 860 } });
    const page = await enter(context, studio);
    const tasks = [...(await measureRuns(browser, sizeOf(flags, 'runs', 1000, 60))), ...(await measureTasks(page, studio))];
    const cdp = await context.newCDPSession(page);
    // One after the other: a curve has forty points, so that one that outlasts the measurement would hardly grow.
    let seed = 0;
    let run = '';
    const watchAnother = async () => {
      ({ run } = await callStudio<{ run: string }>(studio, '/api/training', { recipe: 'kuhn-tabular', games: 10_000_000, seed: ++seed }));
      await visit(page, studio, `/training/${run}`);
      await page.locator('figure.plot canvas').first().waitFor();
    };
    await watchAnother();
    await page.evaluate(`(() => {
      globalThis.presses = new Map();
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          if (entry.interactionId > 0) globalThis.presses.set(entry.interactionId, Math.max(globalThis.presses.get(entry.interactionId) ?? 0, entry.duration));
      }).observe({ type: 'event', durationThreshold: 16, buffered: true });
    })()`);
    const heaps = [await heap(cdp)];
    const began = performance.now();
    let pressed = 0;
    while (performance.now() - began < minutes * 60_000) {
      await press(page, pressed++);
      await page.waitForTimeout(300);
      if (pressed % 20 === 0 && !(await callStudio<{ going: boolean }>(studio, `/api/training/of/${run}`)).going) await watchAnother();
      if (performance.now() - began >= heaps.length * 60_000) heaps.push(await heap(cdp));
    }
    const slow = (await page.evaluate('[...globalThis.presses.values()]')) as readonly number[];
    // What took less than 16 ms is not told by the browser, and counts as that.
    const all = [...slow, ...Array.from({ length: Math.max(0, pressed - slow.length) }, () => 16)].sort((a, b) => a - b);
    const at = (share: number) => all[Math.min(all.length - 1, Math.floor(share * all.length))] ?? null;
    return [
      ...tasks,
      {
        name: 'interaction to next paint, p50',
        value: at(0.5),
        unit: 'ms',
        note: `${pressed} presses in ${minutes} min, ${seed} trainings`,
      },
      { name: 'interaction to next paint, p95', value: at(0.95), unit: 'ms', goal: '≤ 200' },
      { name: 'interaction to next paint, worst', value: at(1), unit: 'ms' },
      ...(['kept', 'all'] as const).flatMap((part): Figure[] => {
        const sizes = heaps.map((heap) => heap[part] / 2 ** 20);
        const what = part === 'all' ? 'heap with the code that the browser compiled' : 'heap';
        return [
          { name: `${what}, after a minute`, value: sizes[1] ?? sizes[0], unit: 'MB' },
          {
            ...{ name: `${what}, at the end`, value: sizes[sizes.length - 1], unit: 'MB' },
            ...(part === 'kept' && { goal: 'flat' }),
            note: `by the minute: ${sizes.map((size) => size.toFixed(2)).join(', ')}`,
          },
        ];
      }),
    ];
  } finally {
    await browser.close();
    await studio.kill();
    removeFolder(studio.cwd);
  }
}

/** In turns what people do there: unfold the notes, move on. */
async function press(page: Page, n: number): Promise<void> {
  if (n % 2 === 0) await page.getByText('Name, tags, note, archive').click();
  else await page.keyboard.press('Tab');
}

/** Bytes of the page's heap after a collection, and how many of them are no machine code and no notes of the compiler about it. */
async function heap(cdp: CDPSession): Promise<{ readonly all: number; readonly kept: number }> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  let text = '';
  const add = ({ chunk }: { readonly chunk: string }) => {
    text += chunk;
  };
  cdp.on('HeapProfiler.addHeapSnapshotChunk', add);
  await cdp.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  cdp.off('HeapProfiler.addHeapSnapshotChunk', add);
  const { snapshot, nodes } = JSON.parse(text) as HeapSnapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')];
  let retainedCount = 0;
  for (let at = 0; at < nodes.length; at += fields.length)
    if (!['code', 'native', 'synthetic'].includes(types[0][nodes[at + type]])) retainedCount += nodes[at + size];
  return { all: usedSize, kept: retainedCount };
}

/** What of a heap snapshot is read here. */
interface HeapSnapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly (readonly string[])[] } };
  readonly nodes: readonly number[];
}
