import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'

/** Attributes, properties and functions whose text the user reads. */
const shownProps = new Set(
  'aria-label alt title placeholder label hint head lead confirm fallback error text advice'.split(' '),
)
const shownArguments = new Set(['showToast', 'didWithUndo', 'usePageTitle', 'useShortcuts'])

type Node = { type: string; start: number; [key: string]: unknown }
const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string'
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

/** Literal text that the expression may evaluate to; conditions and arguments of calls are not shown. */
function literalsIn(node: Node): Node[] {
  switch (node.type) {
    case 'Literal':
    case 'TemplateElement':
    case 'JSXText':
      return [node]
    case 'ConditionalExpression':
      return [node.consequent, node.alternate].filter(isNode).flatMap(literalsIn)
    case 'LogicalExpression':
    case 'BinaryExpression':
      return /^[=!<>]/.test(String(node.operator)) ? [] : childrenOf(node).flatMap(literalsIn)
    case 'TemplateLiteral':
    case 'JSXExpressionContainer':
      return childrenOf(node).flatMap(literalsIn)
    default:
      return []
  }
}

function shownIn(node: Node): Node[] {
  if (node.type === 'JSXElement' || node.type === 'JSXFragment') return childrenOf(node).flatMap(literalsIn)
  if (node.type === 'CallExpression' && shownArguments.has(String((node.callee as Node).name)))
    return (node.arguments as Node[]).flatMap(literalsIn)
  if (node.type !== 'JSXAttribute' && node.type !== 'Property') return []
  const { name, value } = node.type === 'Property' ? (node.key as Node) : (node.name as Node)
  return isNode(node.value) && shownProps.has(String(name ?? value)) ? literalsIn(node.value) : []
}

function textOf({ type, value }: Node): string {
  if (type === 'TemplateElement') return (value as { cooked: string }).cooked
  return typeof value === 'string' ? value : ''
}

/** Literal English in a component or its code: two letters in a row make a word. */
function englishIn(path: string, source: string): string[] {
  const visit = (node: Node): Node[] => [...shownIn(node), ...childrenOf(node).flatMap(visit)]
  const { program, errors } = parseSync(path, source)
  assert.deepEqual(errors, [])
  return visit(program as unknown as Node)
    .filter((node) => /\p{L}{2}/u.test(textOf(node)))
    .map((node) => `line ${source.slice(0, node.start).split('\n').length}: ${textOf(node).trim()}`)
}

test('components contain no visible text outside strings.ts', () => {
  const root = fileURLToPath(new URL('.', import.meta.url))
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/(?:strings|\.test)\.ts$/.test(path))
    .flatMap((path) => englishIn(path, readFileSync(root + path, 'utf8')).map((text) => `${path}, ${text}`))
  assert.deepEqual(found, [])
})

test('the scan finds text in elements, attributes, properties and messages, and nothing else', () => {
  const source = [
    `const keys = [{ keys: 'Escape', label: 'Back' }]`,
    `const view = (`,
    `  <p className={isOpen ? 'row open' : 'row'} title={'Read ' + name}>`,
    `    Hello, {isOpen === 'yes' ? 'open' : \`closed since \${time('short')}\`} {strings.text('x')} ·`,
    `  </p>`,
    `)`,
    `showToast('Done')`,
  ].join('\n')
  assert.deepEqual(englishIn('view.tsx', source), [
    'line 1: Back',
    'line 3: Hello,',
    'line 4: open',
    'line 4: closed since',
    'line 3: Read',
    'line 7: Done',
  ])
})
