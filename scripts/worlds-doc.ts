/** @file The page docs/worlds.md, from the environments; `npm run generate` writes it. */

import '@ludus-agents/servers/internal/kinds';
import { builtInEnvironment, environmentNames } from '@ludus-agents/environments/internal/built-in';
import type { AnyEnvironment, Json, Knob } from '@ludus-agents/kernel/internal/core/index';

const shared = ['legal', 'window', 'disguise'];

export async function worldsDoc(): Promise<string> {
  const environments = await Promise.all(environmentNames().map((name) => builtInEnvironment(name)));
  const first = environments[0];
  return `# Environments

Generated from the code. A transcript of each environment is in \`test/golden\`.

Set parameters with \`--task '{"NAME": VALUE}'\`, or in the tasks of a plan or suite. Every environment has these parameters besides its own:

${table(shared.map((name) => [name, first.knobs[name]]))}

${environments.map((environment, i) => section(environmentNames()[i], environment)).join('\n')}`;
}

function section(name: string, environment: AnyEnvironment): string {
  const knobs = Object.entries(environment.knobs).filter(([knob]) => !shared.includes(knob));
  const scripts = Object.keys(environment.scripts ?? {});
  const lines = [`## ${name}`, '', environment.about.summary, '', `Seats: ${environment.seats(environment.task({})).join(', ')}.`];
  if (scripts.length > 0) lines.push(`Scripted: ${scripts.join(', ')}.`);
  return `${lines.join('\n')}\n\n${knobs.length === 0 ? '' : `${table(knobs)}\n`}`;
}

function table(knobs: readonly (readonly [string, Knob])[]): string {
  const rows = knobs.map(([name, knob]) => `| \`${name}\` | ${range(knob)} | ${short(knob.otherwise)} | ${knob.about} |`);
  return ['| parameter | values | default | |', '|---|---|---|---|', ...rows].join('\n');
}

function range(knob: Knob): string {
  if (knob.kind === 'whole' || knob.kind === 'number') return `${knob.from} to ${knob.to}`;
  if (knob.kind === 'one') return knob.of.join(', ');
  return { yesno: 'true, false', text: 'text', data: 'JSON' }[knob.kind];
}

function short(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 40 ? '…' : `\`${text}\``;
}
