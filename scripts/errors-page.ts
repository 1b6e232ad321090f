import { errorCodes } from '../src/core/errors.ts'

const retryWords = { never: 'no', later: 'yes, later' } as const

/** The text of `docs/errors.md`. */
export function errorsPage(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, { retry, means }]) => `| \`${code}\` | ${means.replaceAll('|', '\\|')} | ${retryWords[retry]} |`,
  )
  return `${[
    '# Errors',
    'This page is made from `src/core/errors.ts` by `npm run docs`.',
    [
      'Every failure has one of these codes: in log lines, in the counts of a crawl, and in `{ "error": { "code", "message" } }` where a',
      'command runs with `--json`. The last column says whether the same thing may work when it is tried again.',
    ].join('\n'),
    ['| code | meaning | worth another try |', '| --- | --- | --- |', ...rows].join('\n'),
  ].join('\n\n')}\n`
}
