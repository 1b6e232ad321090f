import type { VerifyFault, VerifyProgress, VerifyRepair, VerifyReport } from '../../core/reports/verify-report.ts'
import { type Command, exitCodes } from '../command.ts'
import { createStatusLine } from '../output/status-line.ts'
import { formatCount, formatSize, formatSpan, printable } from '../output/terminal-text.ts'

export const command: Command = {
  name: 'verify',
  group: 'Archive',
  summary: 'check every archived record against its digest and its catalogue row',
  usage: '',
  options: [
    {
      name: 'repair',
      about: 'give up what is damaged, so that the next crawl fetches it again; nobody else may use the folder',
    },
  ],
  examples: [
    { line: 'erace verify --data ./erace-data', about: 'exit code 0: all is well; 1: faults, each named' },
    { line: 'erace verify --repair', about: 'where there is no backup; exit code 0: what is left is well' },
  ],
  async prepare({ positionals, options, target, engine, io, json, quiet }, errors) {
    for (const word of positionals) errors.push({ place: word.slice(0, 60), message: 'verify takes no arguments' })
    return async () => {
      const line = createStatusLine(io.stderr)
      const shows = io.stderr.isTTY === true && !quiet
      const onProgress = (progress: VerifyProgress) => shows && line.draw(progressPieces(progress))
      const report = await engine.verify(target, onProgress, { repair: options.flag('repair') }).finally(line.clear)
      io.stdout.write(json ? `${JSON.stringify(report)}\n` : verifyText(report))
      return report.faultCount === 0 ? exitCodes.done : exitCodes.failed
    }
  },
}

function progressPieces({ records, bytes, totalBytes }: VerifyProgress): string[] {
  const share = totalBytes === 0 ? 100 : Math.min(100, Math.floor((bytes / totalBytes) * 100))
  return [`${share} %`, `${formatCount(records)} records`, formatSize(bytes)]
}

function verifyText(report: VerifyReport): string {
  const { files, records, bytes, unusedBytes, seconds, faults, faultCount, repaired } = report
  const lines: string[] = []
  if (repaired !== undefined && repaired.faultCount > 0) lines.push(...repairLines(repaired), '')
  lines.push(...faultLines(faults, faultCount))
  const unused = unusedBytes === 0 ? '' : ` (${formatSize(unusedBytes)} of it not needed any more)`
  const what = `${formatCount(records)} records in ${formatCount(files)} files, ${formatSize(bytes)}${unused}, ${formatSpan(seconds)}`
  lines.push(faultCount === 0 ? `all is well: ${what}` : `${formatCount(faultCount)} faults: ${what}`)
  return `${lines.join('\n')}\n`
}

function repairLines({ faults, faultCount, lostVersions, lostUrls, forgottenFiles }: VerifyRepair): string[] {
  const lines = [`${formatCount(faultCount)} faults were found`, ...faultLines(faults, faultCount)]
  const urls = lostUrls.map((url) => printable(url, 200)).join(', ')
  const more = lostVersions > lostUrls.length ? ', …' : ''
  if (lostVersions > 0)
    lines.push(`${formatCount(lostVersions)} versions given up; the next crawl fetches them again: ${urls}${more}`)
  if (forgottenFiles > 0) lines.push(`${formatCount(forgottenFiles)} missing files forgotten`)
  return lines
}

function faultLines(faults: readonly VerifyFault[], faultCount: number): string[] {
  const lines = faults.map(({ file, offset, url, message }) => {
    const at = offset === null ? '' : ` at ${offset}`
    return `${printable(file, 200)}${at}: ${printable(message, 200)}${url === null ? '' : ` (${printable(url, 200)})`}`
  })
  if (faultCount > faults.length) lines.push(`and ${formatCount(faultCount - faults.length)} more`)
  return lines
}
