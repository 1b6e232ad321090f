import { resolve } from 'node:path'
import type { RestoreReport } from '../../core/reports/backup-report.ts'
import { type Command, exitCodes } from '../command.ts'
import { columns, formatCount, formatSize, formatSpan, printable } from '../output/terminal-text.ts'
import { copyPieces, interruptible, takeOneFile } from './copying.ts'

export const command: Command = {
  name: 'restore',
  group: 'Archive',
  summary: 'bring a backup back into a data folder that is missing or empty',
  works: 'on a data folder',
  onSharedStore: 'a copy that pg_dump made is brought back into an empty database by pg_restore --dbname=ADDRESS FILE',
  usage: 'FILE',
  options: [],
  examples: [
    { line: 'erace restore /backup/monday.tar --data ./erace-data', about: 'every file is checked against its digest' },
    { line: 'erace crawl https://example.org/ --data ./erace-data', about: 'and a crawl that was under way goes on' },
  ],
  async prepare(context, errors) {
    const { positionals, target, cwd, engine, io, json } = context
    const file = resolve(cwd, takeOneFile(positionals, 'restore', errors))
    return () =>
      interruptible(context, 'nothing was changed', async ({ signal, line, shows }) => {
        const onProgress = (progress: Parameters<typeof copyPieces>[0]) => shows && line.draw(copyPieces(progress))
        const report = await engine.restore(file, target, { signal, onProgress })
        line.clear()
        io.stdout.write(json ? `${JSON.stringify(report)}\n` : restoreText(report))
        return exitCodes.done
      })
  },
}

function restoreText({ folder, entries, bytes, documents, versions, madeAt, seconds }: RestoreReport): string {
  const lines = [
    `${printable(folder, 500)}: brought back as of ${madeAt} in ${formatSpan(seconds)}`,
    ...columns([
      ['documents', formatCount(documents)],
      ['versions', formatCount(versions)],
      ['files', formatCount(entries)],
      ['size', formatSize(bytes)],
    ]),
  ]
  return `${lines.join('\n')}\n`
}
