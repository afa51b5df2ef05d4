/**
 * @file `npm run patterns`: reports regular expressions that a text can make slow; exit code 1 when there are any. Judgments of new patterns
 * are added to pattern-verdicts.json, those of patterns that are gone are dropped. `--all` asks recheck again about every pattern.
 */

import { writeFileSync } from 'node:fs';
import { everyPattern, judge, keyOf, readExceptions, readVerdicts, sortPatterns, verdictFile } from './pattern-check.ts';

const verdicts = new Set(process.argv.includes('--all') ? [] : readVerdicts());
const uses = everyPattern();
const { problems, unjudged, judged } = sortPatterns(uses, verdicts, readExceptions());
const report = problems.map(({ use, problem }) => `${use.file}:${use.line}: ${use.text} ${problem}`);
const safe = new Set(judged.map(({ literal }) => keyOf(literal.source, literal.flags)));
const refused = new Map<string, string>();
for (const { file, line, text, literal } of unjudged) {
  const key = keyOf(literal.source, literal.flags);
  if (!safe.has(key) && !refused.has(key)) {
    const verdict = judge(literal.source, literal.flags);
    if (verdict.status === 'safe') safe.add(key);
    else if (verdict.status === 'unknown') refused.set(key, 'cannot be proven linear');
    else refused.set(key, `is ${verdict.complexity.summary}, for example with ${verdict.attack.pattern}`);
  }
  if (refused.has(key)) report.push(`${file}:${line}: ${text} ${refused.get(key)}; wrap it in linear() of core/linear.ts`);
}
writeFileSync(verdictFile, `${JSON.stringify([...safe].sort(), null, 2)}\n`);
if (report.length > 0) process.stderr.write(`${report.join('\n')}\n`);
process.stdout.write(`${uses.length} patterns, ${report.length} of which a text can make slow.\n`);
process.exitCode = report.length === 0 ? 0 : 1;
