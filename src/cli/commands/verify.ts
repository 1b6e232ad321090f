import { resolve } from 'node:path'
import type { VerifyFault, VerifyProgress, VerifyRepair, VerifyReport } from '../../core/reports/verify-report.ts'
import { refuseWords } from '../args/values.ts'
import { type Command, exitCodes } from '../command.ts'
import { createStatusLine } from '../output/status-line.ts'
import { formatCount, formatSize, formatSpan, printable } from '../output/terminal-text.ts'

export const command: Command = {
  name: 'verify',
  group: 'Archive',
  summary: 'check every archived record against its digest and the catalogue',
  usage: '',
  options: [
    {
      name: 'repair',
      about: 'drop damaged bodies so that the next crawl fetches them again; stop other users of the folder first',
    },
    { name: 'wacz', argument: 'FILE', about: 'check a WACZ file instead: its names, digests, index and records' },
  ],
  examples: [
    { line: 'erace verify --data ./erace-data', about: 'exit code 0: no errors; 1: errors, all listed' },
    { line: 'erace verify --wacz site.wacz', about: 'a WACZ file of any program, before you trust it' },
    { line: 'erace verify --repair', about: 'without a backup; exit code 0: the rest is intact' },
  ],
  async prepare({ positionals, options, target, engine, io, cwd, json, quiet }, errors) {
    refuseWords(positionals, 'verify takes no arguments', errors)
    const wacz = options.text('wacz')
    const repair = options.flag('repair')
    if (wacz !== undefined && repair) errors.push({ place: '--repair', message: "can't be combined with --wacz" })
    return async () => {
      const line = createStatusLine(io.stderr)
      const shows = io.stderr.isTTY === true && !quiet
      const onProgress = (progress: VerifyProgress) => shows && line.draw(progressPieces(progress))
      const verifying =
        wacz === undefined
          ? engine.verify(target, onProgress, { repair })
          : engine.verifyWacz(resolve(cwd, wacz), onProgress)
      const report = await verifying.finally(line.clear)
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
  lines.push(...errorLines(faults, faultCount))
  const unused = unusedBytes === 0 ? '' : ` (${formatSize(unusedBytes)} no longer needed)`
  const what = `${formatCount(records)} records in ${formatCount(files)} files, ${formatSize(bytes)}${unused}, ${formatSpan(seconds)}`
  lines.push(faultCount === 0 ? `no errors: ${what}` : `${errorCount(faultCount)}: ${what}`)
  return `${lines.join('\n')}\n`
}

function repairLines({ faults, faultCount, lostVersions, lostUrls, forgottenFiles }: VerifyRepair): string[] {
  const lines = [`${errorCount(faultCount)} found`, ...errorLines(faults, faultCount)]
  const urls = lostUrls.map((url) => printable(url, 200)).join(', ')
  const more = lostVersions > lostUrls.length ? ', …' : ''
  if (lostVersions > 0)
    lines.push(`${formatCount(lostVersions)} bodies dropped; the next crawl fetches them again: ${urls}${more}`)
  if (forgottenFiles > 0) lines.push(`${formatCount(forgottenFiles)} missing files removed from the catalogue`)
  return lines
}

function errorCount(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'error' : 'errors'}`
}

function errorLines(faults: readonly VerifyFault[], faultCount: number): string[] {
  const lines = faults.map(({ file, offset, url, message }) => {
    const at = offset === null ? '' : ` at ${offset}`
    return `${printable(file, 200)}${at}: ${printable(message, 200)}${url === null ? '' : ` (${printable(url, 200)})`}`
  })
  if (faultCount > faults.length) lines.push(`and ${formatCount(faultCount - faults.length)} more`)
  return lines
}
