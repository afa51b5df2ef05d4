/** @file A pipeline of three steps for tests: every third item is refused, and two of its items have one key. */

import { definePipeline } from '../../pipelines/pipeline.ts';

export const countingPipeline = definePipeline({
  name: 'counting',
  about: 'numbers',
  takes: 'text',
  proof: 'it is not a third',
  async make({ item, dice, ask, poll }) {
    const first = await ask('first', `first ${item} ${dice.int(1000)}`);
    const votes = await poll('votes', `votes ${item} ${first.length}`);
    const last = await ask('last', `last ${item} ${votes.length} ${dice.int(1000)}`);
    if (item % 3 === 2) return { refused: 'a third' };
    return {
      kept: {
        key: item === 4 ? 'twin of 3' : item === 3 ? 'twin of 3' : String(item),
        messages: [{ role: 'assistant', content: last }],
        facts: { item },
      },
    };
  },
});
