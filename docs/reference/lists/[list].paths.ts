/** @file One page for the built-in objects of each kind, and one for the error codes. */

import { listPages } from '../../.vitepress/lists.ts';

export default {
  async paths() {
    return (await listPages()).map(({ name, text }) => ({ params: { list: name }, content: text }));
  },
};
