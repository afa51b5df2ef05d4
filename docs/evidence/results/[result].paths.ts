/** @file One page for each result file of the benchmarks. */

import { resultNames, resultPage } from '../../.vitepress/results.ts';

export default {
  paths: () => resultNames().map((result) => ({ params: { result }, content: resultPage(result) })),
};
