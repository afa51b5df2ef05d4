/** @file Names and words: a function is called by what it does, not by what has been done, and comments are in plain words. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const files = readdirSync(join(root, 'packages'))
  .map((name) => `packages/${name}/src`)
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file}`)
      .filter((file) => /\.tsx?$/.test(file) && !/\.(test|cases)\.ts$/.test(file)),
  );

/** Wrappers of one interface, such as a model that is retried, may be called by what they add. */
const wrappers = 'cached charged grounded limited priced recorded required retried routed scripted'.split(' ');
const irregular =
  'begun bound brought built caught chosen dealt done drawn driven felt found given gone grown heard held hidden kept known laid left lost made met paid said seen sent shown sold spent spoken taken taught thought thrown told understood won written'.split(
    ' ',
  );
/** Code in a text, which is not ours to name. */
const texts = ['packages/environments/src/programs/repositories.ts: sorted', 'packages/agents/src/sandbox/test-module.ts: shown'];
const verbs = 'embed exceed feed need proceed read red seed spread speed'.split(' ');

/** Whether a name is a participle alone, or one with "by", "in" and the like; "scriptedAgent" names a thing, and is none. */
function isParticiple(name: string): boolean {
  const [, first = '', rest] = /^([a-z]+)(By|In|Of|To|At|For|From|With|As|On|Out|Up)?$/.exec(name) ?? [];
  if (wrappers.includes(first) && rest === undefined) return false;
  return (irregular.includes(first) || /[^e]ed$/.test(first)) && !verbs.includes(first);
}

function functionsIn(text: string): string[] {
  const declared = text.matchAll(
    /^(?:export )?(?:async )?function\*? (\w+)|^(?:export )?const (\w+)(?:: [^=\n]+)? = (?:async )?(?:<[^>]*>)?\(.*=>/gm,
  );
  return [...declared].map(([, named, bound]) => (named ?? bound)!);
}

describe('names', () => {
  it('of functions are no participles', () => {
    const matches = files.flatMap((file) =>
      functionsIn(readFileSync(join(root, file), 'utf8'))
        .filter(isParticiple)
        .map((name) => `${file}: ${name}`)
        .filter((item) => !texts.includes(item)),
    );
    expect(matches).toEqual([]);
  });

  it('show what acts, what is a thing, and what wraps', () => {
    expect(['told', 'saidIn', 'heardBy', 'checked'].map(isParticiple)).toEqual([true, true, true, true]);
    expect(['tellSeat', 'scriptedAgent', 'cached', 'readPlan', 'seedPool'].map(isParticiple)).toEqual([false, false, false, false, false]);
    expect(functionsIn('export async function* told(a) {}\nconst shown = (a: string) => a;\n')).toEqual(['told', 'shown']);
  });
});

describe('variables', () => {
  it('say what they hold: a match, an episode, the saved rows', () => {
    const vague =
      /\b(?:const|let) (?:found|known|own|said|kept|told|asked|made|given|one|some|seen|taken|held|shown|heard|sent|drawn|chosen|paid|together|sight|yesno|may|or|such)\b/g;
    // Programs that agents repair are not ours to name.
    const sources = files.filter((file) => file !== 'packages/environments/src/programs/repositories.ts');
    const matches = sources.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(vague)].map(([declaration]) => `${file}: ${declaration}`),
    );
    expect(matches).toEqual([]);
  });
});

describe('comments', () => {
  it('use plain words', () => {
    const mannered = /^\s*(?:\*|\/\/|\/\*\*).*\b(?:[Ww]hoever|unless told|told apart)\b/;
    const matches = files.flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, i) => (mannered.test(line) ? [`${file}:${i + 1}`] : [])),
    );
    expect(matches).toEqual([]);
  });
});
