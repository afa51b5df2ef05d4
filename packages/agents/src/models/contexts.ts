/** @file How much hosted models hold, by name: the table that is asked where a server does not say. Sizes are of prompt and answer together. */

/** The first row whose pattern is in the name holds. Makers change these rarely; a "context" in the configuration comes before them. */
const table: readonly (readonly [RegExp, number])[] = [
  [/gpt-5/, 400_000],
  [/gpt-4\.1/, 1_047_576],
  [/gpt-4o|gpt-4-turbo|chatgpt-4o/, 128_000],
  [/gpt-4-32k/, 32_768],
  [/gpt-4(?![.o\d])/, 8_192],
  [/gpt-3\.5/, 16_385],
  [/gpt-oss/, 131_072],
  [/(?:^|[/-])o[134](?:-|$)/, 200_000],
  [/claude/, 200_000],
  [/gemini-(?:1\.5|2|3)/, 1_048_576],
  [/deepseek/, 65_536],
  [/mistral-large|mistral-medium|mistral-small/, 131_072],
  [/grok/, 131_072],
  [/command-r|command-a/, 128_000],
];

/** The context of a hosted model, or undefined where the name says nothing. */
export function hostedContext(name: string): number | undefined {
  const matches = table.find(([pattern]) => pattern.test(name.toLowerCase()));
  return matches?.[1];
}

const seers =
  /gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-5|(?:^|[/-])o[134](?:-|$)(?!mini)|claude|gemini|[-_]vl|vl[-_:]|vision|llava|pixtral|mistral-(?:small|medium)-(?:3|2[5-9])|gemma-?3(?!.{0,80}(?:1b|270m))|minicpm-v|internvl|smolvlm|moondream|kimi-(?:vl|k2\.5)|qwen2\.5-omni|llama-?4|showui|ui-tars/;

/** Does the name say that the model sees pictures? A setting of the agent can say so where a name does not. */
export function seesByName(name: string): boolean {
  return seers.test(name.toLowerCase());
}

const thinkers =
  /qwen-?3(?!.{0,80}instruct)|qwq|deepseek-r|(?:^|[/:-])r1(?:[-:]|$)|gpt-5|gpt-oss|(?:^|[/-])o[134](?:-|$)|magistral|smollm3|think|reason|phi-4-mini-r|exaone-deep/;

/** Does the name say that the model thinks before it answers? Its thoughts count towards an answer's limit. */
export function thinksByName(name: string): boolean {
  return thinkers.test(name.toLowerCase());
}
