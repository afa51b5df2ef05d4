/** @file One page for each kind of file, from its JSON Schema. */

import { schemaNames, schemaPage } from '../../.vitepress/schemas.ts';

export default {
  paths: () => schemaNames().map((file) => ({ params: { file }, content: schemaPage(file) })),
};
