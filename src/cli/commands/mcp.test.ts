import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useCliFolder } from '../cli.testkit.ts'
import type { McpSource } from '../engine.ts'

describe('erace mcp', () => {
  const folder = useCliFolder()
  const token = { ERACE_TOKEN: 'erace_abc' }

  async function sourceOf(argv: string[], env: Record<string, string> = {}): Promise<McpSource | undefined> {
    const sources: McpSource[] = []
    const engine = { mcp: async (source: McpSource) => void sources.push(source) }
    const { code, out, err, listening } = await folder.run(['mcp', ...argv], { engine, env })
    assert.deepEqual([code, out, listening], [0, '', 0], err)
    return sources[0]
  }

  test('uses a data folder or a remote service as its source', async () => {
    const stored = await sourceOf(['--data', 'x', '--owner', 'Ada@example.org'])
    assert.deepEqual([stored?.kind, stored?.kind === 'store' && stored.owner], ['store', 'ada@example.org'])
    assert.deepEqual(await sourceOf(['--url', 'https://erace.example.org/'], token), {
      kind: 'service',
      url: 'https://erace.example.org',
      token: 'erace_abc',
    })
  })

  test('rejects invalid and contradictory options', async () => {
    for (const [argv, env, message] of [
      [['words'], {}, /mcp takes options only/],
      [['--url', 'https://x.example'], {}, /ERACE_TOKEN: must be a token/],
      [['--url', 'https://x.example'], { ERACE_TOKEN: 'a\nb' }, /ERACE_TOKEN: must be a token/],
      [['--url', 'ftp://x.example'], token, /--url: must be the http or https address/],
      [['--url', 'https://x.example', '--owner', 'a@example.org'], token, /--owner: the token says who you are/],
      [['--url', 'https://x.example', '--data', 'x'], token, /--data: give either this or --url/],
      [['--owner', 'nobody'], {}, /--owner/],
    ] as const) {
      const { code, out, err } = await folder.run(['mcp', ...argv], { env })
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, message)
    }
  })
})
