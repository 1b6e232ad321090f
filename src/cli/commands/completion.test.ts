import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { useCliFolder } from '../cli.testkit.ts'
import { loadCommands } from '../commands.ts'
import { manPage } from '../output/man-page.ts'

const commands = await loadCommands()
const folder = mkdtempSync(join(tmpdir(), 'erace-completion-'))
after(() => rmSync(folder, { recursive: true }))
const script = (shell: string): string => join(folder, `script.${shell}`)
const missing = (program: string) =>
  spawnSync(program, ['--version']).error === undefined ? false : `${program} is not installed`

function run(program: string, ...args: string[]): string[] {
  const { stdout, stderr, status } = spawnSync(program, args, { cwd: join(folder, 'work'), encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.equal(stderr, '')
  return stdout.split('\n').filter((line) => line !== '')
}

describe('completion', () => {
  const cli = useCliFolder()

  before(async () => {
    mkdirSync(join(folder, 'work', 'notes'), { recursive: true })
    writeFileSync(join(folder, 'work', 'notes.xml'), '')
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, out } = await cli.run(['completion', shell])
      assert.equal(code, 0)
      writeFileSync(script(shell), out)
    }
  })

  test('works in bash: commands, options, choices, files and folders', () => {
    const complete = (...words: string[]): string[] => {
      const ask = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _erace; printf '%s\\n' "\${COMPREPLY[@]}"`
      return run('bash', '-c', ask, script('bash'), 'erace', ...words).toSorted()
    }
    assert.deepEqual(complete('cr'), ['crawl', 'credential'])
    assert.deepEqual(complete('crawl', '--max'), ['--max-body', '--max-pages'])
    assert.deepEqual(complete('crawl', '--order', 'd'), ['depth'])
    assert.deepEqual(complete('crawl', '--order', '=', 'd'), ['depth'])
    assert.deepEqual(complete('crawl', '--depth', ''), [])
    assert.deepEqual(complete('profile', 'v'), ['validate'])
    assert.deepEqual(complete('profile', 'import', '--owner', 'a@b.c', ''), ['notes', 'notes.xml'])
    assert.deepEqual(complete('status', '--data', 'n'), ['notes'])
    assert.deepEqual(complete('--data', 'notes', 'status', '--js'), ['--json'])
    assert.deepEqual(complete('help', 'ver'), ['verify'])
  })

  test('works in fish', { skip: missing('fish') }, () => {
    const complete = (line: string): string[] =>
      run('fish', '--no-config', '-c', `source ${script('fish')}; complete -C '${line}'`).map(
        (each) => each.split('\t')[0]!,
      )
    assert.deepEqual(complete('erace cr').toSorted(), ['crawl', 'credential'])
    assert.deepEqual(complete('erace crawl --max').toSorted(), ['--max-body', '--max-pages'])
    assert.deepEqual(complete('erace crawl --order d'), ['depth'])
    assert.deepEqual(complete('erace profile v'), ['validate'])
    assert.deepEqual(complete('erace profile import notes.'), ['notes.xml'])
    assert.deepEqual(complete('erace status --data no'), ['notes/'])
  })

  test('works in zsh', { skip: missing('zsh') }, () => {
    // In a pseudo-terminal: each line is typed, completed with Tab, and written to a file with Ctrl-X.
    const typed = `
      zmodload zsh/zpty
      zpty z zsh -f -i
      zpty -w z "PS1=''; autoload -Uz compinit; compinit -D; source $1; dump() { print -r -- \\$BUFFER >> $2; BUFFER=; print OV''ER }; zle -N dump; bindkey '^X' dump; print REA''DY"
      zpty -r z seen '*READY*'
      for line in "\${@:3}"; do
        zpty -n -w z "$line"$'\t\x18'
        zpty -r z seen '*OVER*'
      done
      zpty -d z`
    const completed = new Map([
      ['erace exp', 'erace export'],
      ['erace crawl --ord', 'erace crawl --order='],
      ['erace crawl --order=br', 'erace crawl --order=breadth'],
      ['erace profile va', 'erace profile validate'],
      ['erace backup notes.', 'erace backup notes.xml'],
    ])
    const result = join(folder, 'typed')
    run('zsh', '-f', '-c', typed, 'zsh', script('zsh'), result, ...completed.keys())
    const lines = readFileSync(result, 'utf8').trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => line.trimEnd()),
      [...completed.values()],
    )
  })

  test('rejects other shells, and lists the supported ones', async () => {
    for (const words of [[], ['tcsh'], ['bash', 'zsh']]) {
      const { code, err } = await cli.run(['completion', ...words])
      assert.equal(code, 2)
      assert.match(err, /bash, zsh, fish/)
    }
  })
})

test('the manual page is accepted by mandoc and has every command and option', { skip: missing('mandoc') }, () => {
  const path = join(folder, 'erace.1')
  writeFileSync(path, manPage(commands, '2026-11-17'))
  const { stdout, status } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', path], { encoding: 'utf8' })
  assert.equal(status, 0, stdout)
  const printed = spawnSync('mandoc', ['-T', 'utf8', '-O', 'width=200', path], { encoding: 'utf8' }).stdout
  // Bold is a letter, a backspace and the letter again.
  const text = printed.replaceAll(/.[\b]/g, '')
  for (const { name, options, examples } of commands) {
    assert.match(text, new RegExp(`erace ${name}\\b`))
    for (const option of options) assert.ok(text.includes(`-${option.name}`), `${name}: ${option.name}`)
    for (const { line } of examples) assert.ok(text.includes(line), line)
  }
})
