import { resolve } from 'node:path'
import type { BackupReport } from '../../core/reports/backup-report.ts'
import { type Command, exitCodes } from '../command.ts'
import { columns, formatCount, formatSize, formatSpan, printable } from '../output/terminal-text.ts'
import { copyPieces, interruptible, takeOneFile } from './copying.ts'

export const command: Command = {
  name: 'backup',
  group: 'Archive',
  summary: 'copy a data folder into one file while it is in use; the search index is made anew after a restore',
  works: 'on a data folder',
  onSharedStore: 'a shared store is copied while it is in use by pg_dump --format=custom --file=FILE ADDRESS',
  usage: 'FILE',
  options: [{ name: 'force', about: 'replace FILE if it is there' }],
  examples: [
    { line: 'erace backup /backup/monday.tar', about: 'a tar file with a list of digests in it' },
    { line: 'erace backup /backup/monday.tar.zst', about: 'compressed: .tar.zst (fast), .tar.gz or .tgz' },
    { line: 'erace restore /backup/monday.tar --data ./back', about: 'bring it back' },
  ],
  async prepare(context, errors) {
    const { positionals, options, target, cwd, engine, io, json } = context
    const file = resolve(cwd, takeOneFile(positionals, 'backup', errors))
    const force = options.flag('force')
    return () =>
      interruptible(context, 'nothing was written', async ({ signal, line, shows }) => {
        const report = await engine.backup(target, file, {
          force,
          signal,
          onWaiting: (text) => line.sink.write(`waiting: ${printable(text, 300)}\n`),
          onProgress: (progress) => shows && line.draw(copyPieces(progress)),
        })
        line.clear()
        io.stdout.write(json ? `${JSON.stringify(report)}\n` : backupText(report))
        return report.incomplete.length === 0 ? exitCodes.done : exitCodes.failed
      })
  },
}

function backupText(report: BackupReport): string {
  const { file, entries, bytes, fileBytes, documents, versions, seconds, incomplete } = report
  const lines = [
    `${printable(file, 500)}: written in ${formatSpan(seconds)}`,
    ...columns([
      ['documents', formatCount(documents)],
      ['versions', formatCount(versions)],
      ['files', formatCount(entries)],
      ['their size', formatSize(bytes)],
      ['backup size', formatSize(fileBytes)],
    ]),
  ]
  if (incomplete.length > 0) {
    lines.push('', 'Not all of the archive was there to be copied (erace verify says more)')
    for (const text of incomplete.slice(0, 20)) lines.push(`  ${printable(text, 300)}`)
    if (incomplete.length > 20) lines.push(`  and ${formatCount(incomplete.length - 20)} more`)
  }
  return `${lines.join('\n')}\n`
}
