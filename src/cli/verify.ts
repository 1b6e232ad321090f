import type { VerifyProgress, VerifyReport } from '../core/verify-report.ts'
import { type Command, exitCodes } from './command.ts'
import { createStatusLine } from './status-line.ts'
import { formatCount, formatSize, formatSpan, printable } from './terminal-text.ts'

export const command: Command = {
  name: 'verify',
  group: 'Archive',
  summary: 'check every archived record against its digest and its catalogue row',
  usage: '',
  options: [],
  examples: [{ line: 'erace verify --data ./erace-data', about: 'exit code 0: all is well; 1: faults, each named' }],
  async prepare({ positionals, dataDir, engine, io, json, quiet }, faults) {
    for (const word of positionals) faults.push({ place: word.slice(0, 60), message: 'verify takes no arguments' })
    return async () => {
      const line = createStatusLine(io.stderr)
      const shows = io.stderr.isTTY === true && !quiet
      const onProgress = (progress: VerifyProgress) => shows && line.draw(progressPieces(progress))
      const report = await engine.verify(dataDir, onProgress).finally(line.clear)
      io.stdout.write(json ? `${JSON.stringify(report)}\n` : verifyText(report))
      return report.faultCount === 0 ? exitCodes.done : exitCodes.failed
    }
  },
}

function progressPieces({ records, bytes, totalBytes }: VerifyProgress): string[] {
  const share = totalBytes === 0 ? 100 : Math.min(100, Math.floor((bytes / totalBytes) * 100))
  return [`${share} %`, `${formatCount(records)} records`, formatSize(bytes)]
}

function verifyText({ files, records, bytes, seconds, faults, faultCount }: VerifyReport): string {
  const lines = faults.map(({ file, offset, url, message }) => {
    const at = offset === null ? '' : ` at ${offset}`
    return `${printable(file, 200)}${at}: ${printable(message, 200)}${url === null ? '' : ` (${printable(url, 200)})`}`
  })
  if (faultCount > faults.length) lines.push(`and ${formatCount(faultCount - faults.length)} more`)
  const what = `${formatCount(records)} records in ${formatCount(files)} files, ${formatSize(bytes)}, ${formatSpan(seconds)}`
  lines.push(faultCount === 0 ? `all is well: ${what}` : `${formatCount(faultCount)} faults: ${what}`)
  return `${lines.join('\n')}\n`
}
