/** @file A gate for CI: a bot is tested at a built-in desk, and the exit code says whether it may be released. */

import { test } from 'ludus-agents';

const { passed, rules, rate } = await test({ suite: 'service-core', agent: 'scripted', failUnder: 0.5, seeds: 1 });
for (const { ok, rule, says } of rules) console.log(`${ok ? 'ok' : 'failed'}: ${rule}: ${says}`);
console.log(`${(100 * rate).toFixed(0)} % of the cases passed`);
process.exitCode = passed ? 0 : 1;
