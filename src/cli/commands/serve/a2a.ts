/** @file `ludus serve a2a`: personas that other agents call. */

import type { A2AOptions } from '../../../servers/a2a/door.ts';
import { type CommandFile, examples } from '../../command.ts';
import { type DoorOptions, type GuestOptions, type House, houseOf, open, withDoor, withGuests } from './house.ts';

interface Options extends DoorOptions, GuestOptions {
  readonly character?: string;
}

export const a2a: CommandFile = {
  declare(command) {
    command.option('--character <model>', 'who plays them (default: a script with the lines on the card)');
    withGuests(withDoor(command, 8002));
    examples(command, {
      'ludus serve a2a': 'cards at /a2a/NAME/.well-known/agent-card.json',
      'ludus serve a2a --character openai/gpt-5-mini': 'characters played by a model',
    });
  },

  async run({ options: given, terminal }) {
    const options = given as unknown as Options;
    return open(terminal, options, async (owner) => {
      const house = await houseOf(undefined, options, owner);
      return { doors: [await personaDoor(house, options.character)], named: { a2a: '/a2a' } };
    });
  },
};

/** The door with everybody of the gallery behind it. */
export async function personaDoor({ lobby, hall }: House, model: A2AOptions['model']) {
  const [{ a2aDoor }, { gallery }, { version }] = await Promise.all([
    import('../../../servers/a2a/door.ts'),
    import('../../../personas/index.ts'),
    import('../../../company/version.ts'),
  ]);
  return a2aDoor({ lobby, ...hall, version: version(), personas: gallery, model });
}
