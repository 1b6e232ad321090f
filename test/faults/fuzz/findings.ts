import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MAX_OF_A_KIND = 5
const MAX_SHOWN = 1500

/** A failed input, with everything needed to repeat it. */
export type Failure = { seed: number; number: number; wrong: string; input: object; bytes: Buffer | null }

/** Collects faults, only the first few of each kind. Failed inputs are written to `folder`, unless that is empty. */
export function createFindings(folder: string) {
  const times = new Map<string, number>()
  const faults: string[] = []
  let count = 0

  function add(text: string, kind = text): void {
    const key = kind.replaceAll(/\d+/g, '#').slice(0, 120)
    times.set(key, (times.get(key) ?? 0) + 1)
    count++
    if (times.get(key)! > MAX_OF_A_KIND) return
    process.stderr.write(`${text.slice(0, MAX_SHOWN)}\n`)
    faults.push(text.slice(0, MAX_SHOWN))
  }

  return {
    faults,
    count: () => count,
    add,
    addInput({ seed, number, wrong, input, bytes }: Failure): void {
      add(`${seed}:${number}: ${wrong} ${JSON.stringify(input).slice(0, 600)}`, wrong)
      if (folder === '') return
      mkdirSync(folder, { recursive: true })
      const name = join(folder, `${seed}-${number}`)
      writeFileSync(`${name}.json`, JSON.stringify({ wrong, ...input }, null, 2))
      if (bytes !== null) writeFileSync(`${name}.body`, bytes)
    },
  }
}

export type Findings = ReturnType<typeof createFindings>

/** Codes of 503 answers for work that hit its limit or found no capacity; these are logged. Any other 5xx is a fault. */
export const busyCodes: ReadonlySet<string> = new Set(['took-too-long', 'archive-busy'])

/** Reports unexpected lines: of level `error` and above, or not in log format. */
export function watchLog(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = ''
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) if (!isExpected(line)) onLine(line)
  })
}

function isExpected(line: string): boolean {
  if (!line.startsWith('{')) return /^(Debugger |For help, see|erace up: finishing|\s*$)/.test(line)
  const { level, err } = JSON.parse(line) as { level: number; err?: { code?: string } }
  return level < 50 || busyCodes.has(err?.code ?? '')
}
