/** @file The page docs/worlds.md, from the environments; `npm run generate` writes it. */

import '@ludus-agents/servers/internal/kinds';
import { builtInEnvironment, environmentNames } from '@ludus-agents/environments/internal/built-in';
import type { AnyEnvironment, Json, TaskParameter } from '@ludus-agents/kernel/internal/core/index';

const shared = ['legal', 'window', 'disguise'];

export async function worldsDoc(): Promise<string> {
  const environments = await Promise.all(environmentNames().map((name) => builtInEnvironment(name)));
  const first = environments[0];
  return `# Environments

Generated from the code. A transcript of each environment is in \`test/golden\`.

Set parameters with \`--task '{"NAME": VALUE}'\`, or in the tasks of a plan or suite. Every environment has these parameters besides its own:

${table(shared.map((name) => [name, first.parameters[name]]))}

${environments.map((environment, i) => section(environmentNames()[i], environment)).join('\n')}`;
}

function section(name: string, environment: AnyEnvironment): string {
  const parameters = Object.entries(environment.parameters).filter(([parameter]) => !shared.includes(parameter));
  const scripts = Object.keys(environment.scripts ?? {});
  const lines = [`## ${name}`, '', environment.about.summary, '', `Seats: ${environment.seats(environment.task({})).join(', ')}.`];
  if (scripts.length > 0) lines.push(`Scripted: ${scripts.join(', ')}.`);
  return `${lines.join('\n')}\n\n${parameters.length === 0 ? '' : `${table(parameters)}\n`}`;
}

function table(parameters: readonly (readonly [string, TaskParameter])[]): string {
  const rows = parameters.map(
    ([name, parameter]) => `| \`${name}\` | ${range(parameter)} | ${short(parameter.default)} | ${parameter.description} |`,
  );
  return ['| parameter | values | default | |', '|---|---|---|---|', ...rows].join('\n');
}

function range(parameter: TaskParameter): string {
  if (parameter.kind === 'integer' || parameter.kind === 'number') return `${parameter.min} to ${parameter.max}`;
  if (parameter.kind === 'choice') return parameter.options.join(', ');
  return { boolean: 'true, false', string: 'text', json: 'JSON' }[parameter.kind];
}

function short(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 40 ? '…' : `\`${text}\``;
}
