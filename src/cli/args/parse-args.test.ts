import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Option } from '../command.ts'
import { parseArgs, splitCommand } from './parse-args.ts'

const options: readonly Option[] = [
  { name: 'depth', argument: 'N', about: '' },
  { name: 'delay', argument: 'MS', about: '', setting: 'crawl.delay' },
  { name: 'allow-net', argument: 'CIDR', repeatable: true, about: '', setting: 'network.allow' },
  { name: 'no-robots', about: '', setting: 'crawl.respectRobots', flagValue: false },
  { name: 'json', short: 'j', about: '' },
]

test('distinguishes values, flags and positional arguments in any order', () => {
  const parsed = parseArgs(['a', '--depth', '3', '-j', '--depth=4', 'b', '--', '--c'], options)
  assert.deepEqual(parsed.errors, [])
  assert.deepEqual(parsed.positionals, ['a', 'b', '--c'])
  assert.equal(parsed.options.text('depth'), '4')
  assert.equal(parsed.options.flag('json'), true)
  assert.equal(parsed.options.flag('no-robots'), false)
})

test('options that belong to a setting become overrides', () => {
  const argv = ['--allow-net', '10.0.0.0/8', '--no-robots', '--allow-net=::1', '--delay', '5']
  assert.deepEqual(parseArgs(argv, options).overrides, [
    { key: 'network.allow', value: ['10.0.0.0/8', '::1'], place: '--allow-net' },
    { key: 'crawl.respectRobots', value: false, place: '--no-robots' },
    { key: 'crawl.delay', value: '5', place: '--delay' },
  ])
})

test('all errors are collected, and parsing continues after them', () => {
  const parsed = parseArgs(['--dept', '--json=1', '--delay', '--depth', '-5', '-x', '--delay'], options)
  assert.deepEqual(parsed.errors, [
    { place: '--dept', message: 'unknown option; did you mean --depth?' },
    { place: '--json', message: 'takes no value' },
    { place: '--delay', message: 'needs a value: MS' },
    { place: '-x', message: 'unknown option' },
    { place: '--delay', message: 'needs a value: MS' },
  ])
  assert.equal(parsed.options.text('depth'), '-5')
})

test('an empty name of a file or folder is a missing value', () => {
  const named: readonly Option[] = [...options, { name: 'data', argument: 'DIR', about: '' }]
  const parsed = parseArgs(['--data', '', '--data=', '--allow-net', ''], named)
  const error = { place: '--data', message: 'needs a value: DIR' }
  assert.deepEqual(parsed.errors, [error, error])
  assert.equal(parsed.options.text('data'), undefined)
  assert.deepEqual(parsed.options.all('allow-net'), [''])
})

test('the command may follow options and their values', () => {
  assert.deepEqual(splitCommand(['--depth', '3', 'crawl', 'x'], options), {
    name: 'crawl',
    rest: ['--depth', '3', 'x'],
  })
  assert.deepEqual(splitCommand(['--json'], options), { rest: ['--json'] })
  assert.deepEqual(splitCommand(['--', 'crawl'], options), { rest: ['--', 'crawl'] })
})
