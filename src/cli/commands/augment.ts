import { resolve } from 'node:path'
import type { ValidationError } from '../../config/validation-errors.ts'
import type { AugmentProgress, AugmentReport } from '../../core/reports/augment-report.ts'
import { type Command, exitCodes } from '../command.ts'
import { createStatusLine } from '../output/status-line.ts'
import { formatCount, formatSpan, printable } from '../output/terminal-text.ts'

export const command: Command = {
  name: 'augment',
  group: 'Crawl',
  summary:
    'write tables of links and of volatile parts beside the documents of a static site, for crawlers that use them',
  usage: 'DIR',
  options: [
    { name: 'base', argument: 'URL', about: 'where DIR is on the web; links are written as absolute URLs then' },
    { name: 'check', about: 'write nothing; exit code 1 and a list if tables are missing, stale or orphaned' },
  ],
  examples: [
    { line: 'erace augment ./public', about: 'index.html.TOL and, with volatile parts, index.html.TVI' },
    { line: 'erace augment ./public --base https://example.org/', about: 'with absolute links' },
    { line: 'erace augment ./public --check', about: 'before publishing: is every table up to date?' },
  ],
  async prepare({ positionals, options, cwd, engine, io, json, quiet }, errors) {
    const [folder, ...more] = positionals
    if (folder === undefined || folder === '' || more.length > 0)
      errors.push({ place: 'DIR', message: 'give one folder, the root of the site' })
    const base = readBase(options.text('base'), errors)
    return async () => {
      const line = createStatusLine(io.stderr)
      const shows = io.stderr.isTTY === true && !quiet && !json
      const onProgress = (progress: AugmentProgress) => shows && line.draw(progressPieces(progress))
      const request = { folder: resolve(cwd, folder!), base, check: options.flag('check') }
      const report = await engine.augment(request, onProgress).finally(line.clear)
      io.stdout.write(json ? `${JSON.stringify(report)}\n` : augmentText(report, options.flag('check')))
      return report.problemCount === 0 ? exitCodes.done : exitCodes.failed
    }
  },
}

function progressPieces({ documents, links, written }: AugmentProgress): string[] {
  return [
    `${formatCount(documents)} documents`,
    `${formatCount(links)} links`,
    `${formatCount(written)} tables written`,
  ]
}

function readBase(text: string | undefined, errors: ValidationError[]): string | null {
  if (text === undefined) return null
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    errors.push({ place: '--base', message: "that isn't a web address (http or https)" })
    return null
  }
  const folder = new URL('.', url.pathname.endsWith('/') ? url : new URL(`${url.pathname}/`, url))
  return folder.href
}

const meanings = {
  missing: 'missing',
  stale: 'out of date',
  orphaned: 'its document is gone',
  foreign: 'not a table; left alone',
} as const

function augmentText(report: AugmentReport, isCheck: boolean): string {
  const { problems, problemCount, skipped, skippedCount } = report
  const lines = problems.map(({ file, problem }) => `${printable(file, 300)}: ${meanings[problem]}`)
  if (problemCount > problems.length) lines.push(`and ${formatCount(problemCount - problems.length)} more`)
  for (const { file, reason } of skipped) lines.push(`${printable(file, 300)}: skipped, ${reason}`)
  if (skippedCount > skipped.length) lines.push(`and ${formatCount(skippedCount - skipped.length)} more skipped`)
  const counts = isCheck
    ? `${formatCount(report.unchanged)} tables up to date, ${formatCount(problemCount)} not`
    : `${formatCount(report.written)} tables written, ${formatCount(report.unchanged)} unchanged, ${formatCount(report.removed)} removed`
  const what = `${formatCount(report.documents)} documents, ${formatCount(report.links)} links, ${formatCount(report.volatileParts)} volatile parts`
  return `${[...lines, `${counts}: ${what}, ${formatSpan(report.seconds)}`].join('\n')}\n`
}
