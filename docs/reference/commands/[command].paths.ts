/** @file One page for each command, from its help. */

import { allCommands, commandPage } from '../../.vitepress/commands.ts';

export default {
  async paths() {
    const commands = await allCommands();
    return commands.map((command) => ({ params: { command: command[0]?.name ?? '' }, content: commandPage(command) }));
  },
};
