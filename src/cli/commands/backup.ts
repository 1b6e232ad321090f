import { resolve } from 'node:path'
import type { ValidationError } from '../../config/validation-errors.ts'
import type { BackupReport, CopyProgress, RestoreReport } from '../../core/reports/backup-report.ts'
import { checkCompression } from '../args/files.ts'
import { refuseWords } from '../args/values.ts'
import { type Command, exitCodes } from '../command.ts'
import { interruptible } from '../interrupt.ts'
import { columns, formatCount, formatSize, formatSpan, printable } from '../output/terminal-text.ts'

export const backup: Command = {
  name: 'backup',
  group: 'Archive',
  summary: 'back up a data folder to one file while it is in use; the search index is rebuilt after a restore',
  works: 'on a data folder',
  onSharedStore: 'back up a shared store with pg_dump --format=custom --file=FILE ADDRESS',
  usage: 'FILE',
  options: [{ name: 'force', about: 'replace FILE if it exists' }],
  examples: [
    { line: 'erace backup /backup/monday.tar', about: 'a tar file with a list of digests' },
    { line: 'erace backup /backup/monday.tar.zst', about: 'compressed: .tar.zst (fast), .tar.gz or .tgz' },
    { line: 'erace restore /backup/monday.tar --data ./back', about: 'restore it' },
  ],
  async prepare(context, errors) {
    const { positionals, options, target, cwd, engine, io, json } = context
    const given = takeOneFile(positionals, 'backup', errors)
    checkCompression('FILE', given, { known: ['gz', 'tgz', 'zst', 'tzst'], errors })
    const file = resolve(cwd, given)
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
  const { file, entries, bytes, fileBytes, documents, versions, seconds, incomplete, keepElsewhere } = report
  const lines = [
    `${printable(file, 500)}: written in ${formatSpan(seconds)}`,
    ...columns([
      ['documents', formatCount(documents)],
      ['versions', formatCount(versions)],
      ['files', formatCount(entries)],
      ['data size', formatSize(bytes)],
      ['backup size', formatSize(fileBytes)],
    ]),
  ]
  if (keepElsewhere !== null) {
    lines.push('', 'The backup is sealed, because the folder holds credentials or pages read with them.')
    lines.push(`It can't be restored without the key in ${printable(keepElsewhere, 500)}:`)
    lines.push('keep a copy of it elsewhere, apart from the backups.')
  }
  if (incomplete.length > 0) {
    lines.push('', 'Parts of the archive are missing from the backup (run erace verify for details)')
    for (const text of incomplete.slice(0, 20)) lines.push(`  ${printable(text, 300)}`)
    if (incomplete.length > 20) lines.push(`  and ${formatCount(incomplete.length - 20)} more`)
  }
  return `${lines.join('\n')}\n`
}

export const restore: Command = {
  name: 'restore',
  group: 'Archive',
  summary: 'restore a backup into a missing or empty data folder',
  works: 'on a data folder',
  onSharedStore: 'restore a pg_dump backup into an empty database with pg_restore --dbname=ADDRESS FILE',
  usage: 'FILE',
  options: [
    {
      name: 'key-file',
      argument: 'FILE',
      about: 'the key of a sealed backup (secret.key), which the restored folder gets too; default: credentials.key',
    },
  ],
  examples: [
    { line: 'erace restore /backup/monday.tar --data ./erace-data', about: 'checks every file against its digest' },
    {
      line: 'erace restore monday.tar --key-file secret.key',
      about: 'one that is sealed, since it holds private pages',
    },
    { line: 'erace crawl https://example.org/ --data ./erace-data', about: 'a crawl that was running continues' },
  ],
  async prepare(context, errors) {
    const { positionals, options, target, cwd, engine, io, json } = context
    const file = resolve(cwd, takeOneFile(positionals, 'restore', errors))
    const givenKey = options.text('key-file')
    const keyFile = givenKey === undefined ? null : resolve(cwd, givenKey)
    return () =>
      interruptible(context, 'nothing was changed', async ({ signal, line, shows }) => {
        const onProgress = (progress: Parameters<typeof copyPieces>[0]) => shows && line.draw(copyPieces(progress))
        const report = await engine.restore(file, target, { signal, onProgress, keyFile })
        line.clear()
        io.stdout.write(json ? `${JSON.stringify(report)}\n` : restoreText(report))
        return exitCodes.done
      })
  },
}

function restoreText({ folder, entries, bytes, documents, versions, madeAt, seconds }: RestoreReport): string {
  const lines = [
    `${printable(folder, 500)}: restored the backup of ${madeAt} in ${formatSpan(seconds)}`,
    ...columns([
      ['documents', formatCount(documents)],
      ['versions', formatCount(versions)],
      ['files', formatCount(entries)],
      ['size', formatSize(bytes)],
    ]),
  ]
  return `${lines.join('\n')}\n`
}

/** The single FILE argument of a command. */
function takeOneFile(positionals: readonly string[], name: string, errors: ValidationError[]): string {
  const [file, ...rest] = positionals
  if (file === undefined || file === '') errors.push({ place: 'FILE', message: `${name} needs a file name` })
  refuseWords(rest, `${name} takes one file`, errors)
  return file ?? ''
}

function copyPieces({ phase, bytes, totalBytes }: CopyProgress): string[] {
  const share = totalBytes === 0 ? 100 : Math.min(100, Math.floor((bytes / totalBytes) * 100))
  return [
    phase === 'snapshot' ? 'databases' : 'files',
    `${share} %`,
    `${formatSize(bytes)} of ${formatSize(totalBytes)}`,
  ]
}
