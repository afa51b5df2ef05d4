/** @file Parses seats on a command line: `--SEAT AGENT` casts an agent on any seat. */

/** Turns `--second random` into `--seat second=random` for every long option that the command does not define. */
export function seatWords(
  argv: readonly string[],
  options: readonly { readonly long?: string | undefined; readonly required: boolean }[],
): string[] {
  const out: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === '--') return [...out, ...argv.slice(i)];
    const [, name, , value] = word.match(/^--([^=]+)(=(.*))?$/s) ?? [];
    const option = options.find(({ long }) => long === `--${name}`);
    const next = argv[i + 1];
    if (name === undefined || name === 'help' || name === 'debug') out.push(word);
    else if (option !== undefined) {
      out.push(word);
      if (option.required && value === undefined && next !== undefined) out.push(argv[++i]!);
    } else if (value !== undefined) out.push('--seat', `${name}=${value}`);
    else if (next !== undefined && !next.startsWith('--')) out.push('--seat', `${name}=${argv[++i]}`);
    else out.push(word);
  }
  return out;
}
