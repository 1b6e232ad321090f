import type { ImportProgress, ImportReport } from '../../core/reports/import-report.ts'
import { type CommandContext, exitCodes } from '../command.ts'
import { createInterrupt } from '../interrupt.ts'
import { createStatusLine } from '../output/status-line.ts'
import { columns, formatCount, formatSize, formatSpan, printable } from '../output/terminal-text.ts'

const MAX_ERRORS = 20
const goesOn = 'nothing is lost: the same command goes on where it stopped'

/** `migrate --from DIR --to postgres://…`: a line for each kind that has arrived, and a table of all at the end. */
export async function importFolder(context: CommandContext, folder: string, store: string): Promise<number> {
  const { engine, io, clock, json, quiet } = context
  const line = createStatusLine(io.stderr)
  const interrupt = createInterrupt({ io, clock, onFirst: () => line.sink.write('finishing what is begun …\n') })
  const progress = createProgress((pieces) => io.stderr.isTTY === true && line.draw(pieces), line.sink.write)
  try {
    const report = await engine.importFolder(folder, store, {
      signal: interrupt.signal,
      onProgress: (step) => quiet || progress.note(step),
    })
    if (!quiet && !report.interrupted) progress.end()
    line.clear()
    io.stdout.write(json ? `${JSON.stringify(report)}\n` : moveText(report))
    if (report.interrupted) io.stderr.write(`interrupted: ${goesOn}\n`)
    return report.interrupted ? exitCodes.interrupted : report.faults.length > 0 ? exitCodes.failed : exitCodes.done
  } catch (error) {
    line.clear()
    if (!interrupt.signal.aborted) throw error
    io.stderr.write(`interrupted: ${goesOn}\n`)
    return exitCodes.interrupted
  } finally {
    line.clear()
    interrupt.dispose()
  }
}

/** One kind after the other: what is under way is drawn, what is over stays as a line. */
function createProgress(draw: (pieces: string[]) => void, write: (text: string) => unknown) {
  let last: ImportProgress | null = null
  function end(): void {
    if (last !== null) write(`${printable(last.what)}: ${formatCount(last.done)} of ${formatCount(last.total)}\n`)
    last = null
  }
  return {
    note(step: ImportProgress): void {
      if (last !== null && last.what !== step.what) end()
      last = step
      const share = step.total === 0 ? 100 : Math.min(100, Math.floor((step.done / step.total) * 100))
      draw([printable(step.what), `${share} %`, `${formatCount(step.done)} of ${formatCount(step.total)}`])
    },
    end,
  }
}

function moveText({ counts, bodiesChecked, bytes, seconds, faults, interrupted }: ImportReport): string {
  const state = interrupted ? 'interrupted' : faults.length > 0 ? 'not all agrees' : 'all is there'
  const rows = counts.map(({ what, here, there }) => [
    printable(what),
    formatCount(here),
    formatCount(there),
    !interrupted && here !== there ? 'differs' : '',
  ])
  const lines = [
    `${state} (${formatSpan(seconds)})`,
    ...columns([['', 'here', 'there', ''], ...rows]),
    `  ${formatCount(bodiesChecked)} bodies checked by their digests, ${formatSize(bytes)} moved`,
  ]
  if (faults.length > 0) {
    lines.push('', 'What does not agree')
    for (const fault of faults.slice(0, MAX_ERRORS)) lines.push(`  ${printable(fault, 300)}`)
    if (faults.length > MAX_ERRORS) lines.push(`  and ${formatCount(faults.length - MAX_ERRORS)} more`)
  }
  return `${lines.join('\n')}\n`
}
