import '@ludus-agents/servers/internal/kinds';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { loadDesk, suiteOfDesk } from '@ludus-agents/desk/internal/desks';
import { evaluateRun } from '@ludus-agents/evaluation/internal/evaluate';
import { memoryStore } from '@ludus-agents/store/internal/memory';

const [trade, bot, filter = '.'] = process.argv.slice(2);
const folder = join(import.meta.dirname, 'trades', trade!);
const desk = loadDesk(existsSync(join(folder, 'policy.md')) ? folder : join(folder, 'desk.json'), folder, Trust.commandLine);
const store = memoryStore();
const { scored } = await evaluateRun({
  trust: Trust.commandLine,
  suite: suiteOfDesk(desk),
  agents: [{ name: bot!, kind: `bot:${join(folder, 'bot.mjs')}#${bot}` }],
  store,
  seeds: 1,
});
for (const [episode, scores] of scored.scores) {
  const record = scored.records.get(episode)!;
  const id = /"id":"([^"]+)"/.exec(JSON.stringify(record.task))?.[1] ?? '?';
  if (!new RegExp(filter).test(id) || !Object.values(record.cast).includes(bot!)) continue;
  console.log(
    `\n=== ${id} ${scores
      .filter((s) => s.value === 1 && s.name.startsWith('fault'))
      .map((s) => s.name + ': ' + s.reason)
      .join(' | ')} || ${scores.find((s) => s.name === 'desk')?.value} ${scores.find((s) => s.name === 'desk')?.reason}`,
  );
  const full = { events: await store.events(episode) };
  for (const e of full.events) {
    if (e.kind === 'action')
      console.log(`  ${e.seat}: ${e.action.text} ${e.action.data ? JSON.stringify(e.action.data).slice(0, 200) : ''}`);
  }
}
