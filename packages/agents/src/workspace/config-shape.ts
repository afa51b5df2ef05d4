/** @file The shapes of a working folder's configuration, and of an endpoint in it or in its own file. */

import { samplingFields } from '@ludus-agents/kernel/internal/core/agent-spec';
import type { ModelPrice } from '@ludus-agents/kernel/internal/core/index';
import { allKinds } from '@ludus-agents/kernel/internal/core/kind-registry';
import {
  above,
  type Fields,
  leaf,
  list,
  number,
  object,
  optional,
  pattern,
  record,
  required,
  type Shape,
  some,
  unshown,
  whole,
  withWords,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import type { ModelEndpoint } from '../models/kinds.ts';
import type { LudusConfig, TestConfig } from './config.ts';

const name = withWords('a string', words);

const address: Shape<string> = leaf(
  'an address like http://localhost:8000/v1',
  { type: 'string', pattern: '^[hH][tT][tT][pP][sS]?://' },
  (value) => typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value),
);

// A key written here by mistake is not shown on the screen.
const keyName = unshown(
  pattern('the name of a variable that holds the key, like MY_API_KEY, and never the key itself', /^[A-Z_][A-Z0-9_]*$/),
);

const priceFields: Fields<ModelPrice> = {
  prompt: required(number(0), 'for what is read'),
  completion: required(number(0), 'for what is written'),
  cached: optional(number(0), 'for what the server has read before'),
  upTo: optional(whole(1), 'the longest prompt that it holds for'),
};

const endpointFields: Fields<ModelEndpoint> = {
  url: required(address, 'its address, like http://localhost:8000/v1'),
  model: optional(name, 'the model there; a server with only one need not be told'),
  key: optional(keyName, 'the variable that holds its key'),
  context: optional(whole(128), 'the most tokens that it holds'),
  sampling: optional(object(samplingFields), 'default settings of calls'),
  price: optional(object(priceFields), 'US dollars a million tokens'),
  version: optional(name, 'the revision it serves; stored results are reused while it is the same'),
};

/** An endpoint in its own file. */
export const endpointShape: Shape<ModelEndpoint> = object(endpointFields, { document: true });

/** Depends on the kinds in this process, because each may have entries of the user's own. */
export function configShape(): Shape<LudusConfig> {
  return object<LudusConfig>(
    {
      model: optional(name, 'the model of agents and commands that name none'),
      user: optional(name, 'what characters call you: {{user}} in every card'),
      store: optional(name, 'where episodes are kept, as --store names it'),
      endpoints: optional(
        record(object(endpointFields), pattern('a name of lowercase letters, digits, and hyphens', /^[a-z][a-z0-9-]*$/)),
        'your servers by name: "mine" is used as llm:mine',
      ),
      budget: optional(
        object<NonNullable<LudusConfig['budget']>>({
          money: optional(withWords('a number of dollars above 0', above(0)), 'US dollars'),
          calls: optional(withWords('a positive integer', whole(1)), 'calls of models'),
          tokens: optional(withWords('a positive integer', whole(1)), 'tokens of prompts and answers together'),
          episodes: optional(withWords('a positive integer', whole(1))),
        }),
        'hard stops for every command that takes them',
      ),
      test: optional(
        object<TestConfig>({
          suite: optional(name, 'a suite, or the folder of a desk'),
          agents: optional(list(name)),
          seeds: optional(whole(1)),
          failUnder: optional(number(0, 1), 'the share of tries that must be passed'),
          mustPass: optional(list(name), 'tasks of which every try must be passed'),
          noWorseThan: optional(name, 'a run, or a file that --save wrote'),
          margin: optional(number(0, 1), 'the loss that is allowed'),
          humans: optional(name, 'conversations of people, to hold the simulated customers against: test and eval say how like they are'),
          allowFaults: optional(list(name), 'kinds of faults that do not fail the gate'),
        }),
        'what "ludus test" plays, and the rules that decide',
      ),
      kinds: optional(
        some(
          allKinds().map((kind) => kind.name),
          record(name),
        ) as Shape<NonNullable<LudusConfig['kinds']>>,
        'your objects, by kind and name',
      ),
    },
    { document: true },
  );
}
