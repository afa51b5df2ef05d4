/** @file The page docs/methods.md, from the recipes; `npm run generate` writes it. */

import '@ludus-agents/servers/internal/kinds';
import type { Recipe, Setting } from '@ludus-agents/learning/internal/rl/recipe';
import { beyondLoop, beyondTree } from '@ludus-agents/learning/internal/rl/recipe-support';
import { proofs, published } from '@ludus-agents/learning/internal/rl/recipes/index';

export function methodsDoc(): string {
  return `# Training methods

Generated from the recipes. A recipe makes one choice for each slot. \`ludus train NAME\` runs it, and \`--set path=value\`
changes a choice. *Runs* is the whole game *tree*, *rollout*, or what you must supply first.

## Published methods

${published.map(section).join('\n')}
## Controls and proofs

${proofs.map(section).join('\n')}`;
}

/** One recipe: its source, what it leaves out, and its choices. */
function section(recipe: Recipe): string {
  const rewards = Object.entries(recipe.rewards ?? {}).map(([name, { weight }]) => `${name} × ${setting(weight)}`);
  const choices = {
    view: view(recipe),
    roles: roles(recipe),
    rewards: [recipe.assignment.kind, ...rewards].join(', '),
    baseline: baseline(recipe),
    loss: loss(recipe),
    rollout: rollout(recipe),
    tasks: recipe.curriculum.kind,
    replay: recipe.replay.kind,
  };
  const about = { Source: recipe.source, Runs: runs(recipe), Differs: recipe.differs, 'Leaves out': recipe.omits ?? '' };
  const lines = Object.entries(about).filter(([, text]) => text !== '');
  return [
    `### ${recipe.method}`,
    '',
    `\`ludus train ${recipe.name}\``,
    '',
    ...lines.map(([name, text]) => `- **${name}:** ${text}`),
    `- **Choices:** ${Object.entries(choices)
      .map(([name, text]) => `${name} *${text}*`)
      .join('; ')}`,
    '',
  ].join('\n');
}

function view({ view: rule = { kind: 'whole' } }: Recipe): string {
  if (rule.kind === 'episodes') return `${rule.count} episodes in one context`;
  if (rule.kind === 'whole') return 'whole';
  if (rule.kind === 'moves') return 'moves without names';
  if (rule.kind === 'latest') return 'the latest message';
  if (rule.kind === 'offers') return 'moves by where their words were said';
  return `${rule.kind} of ${rule.tokens} tokens${rule.tools === undefined ? '' : `, tools ${rule.tools.join(', ')}`}`;
}

function roles({ roles: rule = { kind: 'one' } }: Recipe): string {
  if (rule.kind === 'own') return 'one learner for each seat';
  if (rule.kind === 'opponents') return `told which of ${rule.codes} kinds the opponent is`;
  if (rule.kind === 'set') return `a set of ${rule.size}`;
  return rule.kind === 'skills' ? `a choice among ${rule.skills.length} skills` : 'one';
}

function baseline({ baseline: rule }: Recipe): string {
  if (rule.kind === 'none') return 'none';
  if (rule.kind === 'value')
    return `critic by ${rule.level}, λ ${rule.alpha === undefined ? rule.trace : `by length (α ${rule.alpha})`}${rule.warm === undefined ? '' : `, warmed up over ${rule.warm}`}${rule.joint === true ? ', along the chain of all seats' : ''}`;
  if (rule.kind === 'utterances') return `critics of utterances, replay of ${rule.room}`;
  if (rule.kind === 'bought') return `own, or central where it pays more than ${rule.cost}`;
  if (rule.kind === 'positions') return `values of positions, ${rule.decay}`;
  const key = rule.key.length === 0 ? 'batch' : rule.key.join(' + ');
  if (rule.kind === 'running') return `running by ${key}, ${rule.decay}`;
  return `${rule.center} by ${key}${rule.scale === 'none' ? '' : `, ÷ ${rule.scale}`}${rule.plus === undefined ? '' : `, plus ${rule.plus.key.join(' + ')}`}${rule.entropy === undefined ? '' : `, × certainty ${rule.entropy}`}`;
}

function loss({ loss: rule, importance }: Recipe): string {
  const parts = [`${rule.kind}${rule.clip === undefined ? '' : ` ${rule.clip.join('/')}`}`, rule.aggregation];
  const [epochs, minibatches] = [rule.epochs ?? 1, rule.minibatches ?? 1];
  if (epochs * minibatches > 1) parts.push(`${epochs > 1 ? `${epochs} epochs` : ''}${minibatches > 1 ? `${minibatches} minibatches` : ''}`);
  else if (rule.clip !== undefined) parts.push('one step, so clipping acts only if play runs ahead');
  if (rule.dual !== undefined) parts.push(`dual ${rule.dual}`);
  if (rule.kl !== undefined)
    parts.push(
      `KL ${setting(rule.kl.weight)} ${rule.kl.estimate}${rule.kl.refresh === null ? '' : ` refreshed every ${rule.kl.refresh}`}${rule.kl.follow === undefined ? '' : ' to a reference that follows'}`,
    );
  if (rule.entropy !== undefined) parts.push(`entropy ${rule.entropy.from}→${rule.entropy.to}`);
  if (rule.band !== undefined) parts.push(`entropy within ${rule.band.low}–${rule.band.high}`);
  if (rule.imitation !== undefined) parts.push(`imitation ${rule.imitation.from}→${rule.imitation.to}`);
  if (rule.beta !== undefined) parts.push(`β ${rule.beta}`);
  if (importance !== null) parts.push(`importance ≤ ${importance}`);
  return parts.join(', ');
}

function setting(value: Setting): string {
  return typeof value === 'number' ? String(value) : `${value.from}→${value.to}`;
}

function rollout({ rollout: rule }: Recipe): string {
  if (rule.kind === 'adaptive')
    return `${rule.least} to ${rule.size} by success${rule.longer === undefined ? '' : `, length by ${rule.longer} × its longest`}`;
  return 'size' in rule ? `${rule.kind} of ${rule.size}` : rule.kind;
}

function runs(recipe: Recipe): string {
  const [tree, loop] = [beyondTree(recipe) === null, beyondLoop(recipe, { shown: true, judges: recipe.rewards ?? {}, taught: true })];
  if (tree || loop === null) return [tree ? 'tree' : '', loop === null ? 'rollout' : ''].filter((way) => way !== '').join(', ');
  return beyondLoop(recipe, { judge: true, shown: true, judges: recipe.rewards ?? {}, taught: true }) === null
    ? 'rollout with a judge'
    : `parts only: it ${loop}`;
}
