/** @file `ludus serve all`: every door on one port, with the studio's page at its root. */

import { Hono } from 'hono';
import { whereOf } from '../../../company/stores.ts';
import { version } from '../../../company/version.ts';
import { type CommandFile, examples } from '../../command.ts';
import { personaDoor } from './a2a.ts';
import { type DoorOptions, type GuestOptions, houseOf, open, withDoor, withGuests } from './house.ts';
import { type RecordingOptions, recordingDoors, withRecording } from './proxy.ts';

interface Options extends DoorOptions, GuestOptions, RecordingOptions {
  readonly admin?: boolean;
}

export const all: CommandFile = {
  declare(command) {
    command.option('--admin', 'let MCP clients list worlds, run plans and score: these may spend money');
    withRecording(withGuests(withDoor(command, 4747)));
    examples(command, {
      'ludus serve all': 'the studio, /openenv/WORLD, /mcp, /a2a and /v1',
      'ludus serve all --host 0.0.0.0 --token SECRET': 'for other machines, too',
    });
  },

  async run({ options: given, terminal }) {
    const options = given as unknown as Options;
    return open(terminal, options, async (owner) => {
      const [{ openEnvDoors }, { schemas }, { mcpDoor }, { studioDoor }] = await Promise.all([
        import('../../../servers/openenv/door.ts'),
        import('../../../servers/openenv/wire.ts'),
        import('../../../servers/mcp/door.ts'),
        import('../../../servers/studio/index.ts'),
      ]);
      const house = await houseOf(undefined, options, owner);
      const { lobby, agent, hall } = house;
      const { token } = owner;
      const { door } = openEnvDoors({ lobby, ...hall });
      const mcp = mcpDoor({ lobby, ...hall, store: owner.store, version: version(), admin: options.admin === true ? agent : undefined });
      const page = await studioDoor({ store: owner.store, place: terminal, token, where: whereOf(terminal, options) });
      const schema = { path: '/schema', app: new Hono().get('/', (call) => call.json(schemas as object)) };
      const proxy = await recordingDoors(options, owner);
      const personas = await personaDoor(house, options.character);
      const named = { studio: `/?token=${token}`, openenv: '/openenv/WORLD', mcp: '/mcp', a2a: '/a2a', proxy: '/v1' };
      return { doors: [door, mcp, schema, page, personas, ...proxy], named };
    });
  },
};
