import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, type LogSettings } from './log.ts'

function linesOf(settings: Partial<LogSettings>, isTTY: boolean): string[] {
  const lines: string[] = []
  const destination = { isTTY, write: (line: string) => lines.push(line) }
  const log = createLog({ level: 'info', format: 'auto', colour: false, destination, ...settings })
  log.debug('unseen')
  log.info({ host: 'a.example' }, 'hello')
  return lines
}

test('log lines are JSON with an ISO timestamp if there is no terminal', () => {
  const [line, ...rest] = linesOf({}, false)
  const { level, time, msg, host } = JSON.parse(line!)
  assert.deepEqual([level, msg, host], [30, 'hello', 'a.example'])
  assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  assert.deepEqual(rest, [])
})

test('log lines are readable text on a terminal, coloured only on request', () => {
  assert.match(linesOf({}, true)[0]!, /^\[\d\d:\d\d:\d\d\] INFO: hello \{"host":"a\.example"\}\n$/)
  assert.ok(linesOf({ colour: true }, true)[0]!.includes('\u001b['))
})

test('the format setting overrides terminal detection', () => {
  assert.match(linesOf({ format: 'json' }, true)[0]!, /^\{/)
  assert.match(linesOf({ format: 'pretty' }, false)[0]!, /INFO: hello/)
})
