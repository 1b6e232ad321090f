import { type Command, exitCodes } from '../command.ts'
import { bashScript } from '../completion/bash.ts'
import { fishScript } from '../completion/fish.ts'
import { completedCommands } from '../completion/words.ts'
import { zshScript } from '../completion/zsh.ts'

const scripts = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
])

export const command: Command = {
  name: 'completion',
  group: 'Set-up',
  summary: 'print a script that completes commands, options and files in your shell',
  usage: 'bash|zsh|fish',
  options: [],
  examples: [
    { line: 'source <(erace completion bash)', about: 'in ~/.bashrc; zsh in ~/.zshrc the same way' },
    { line: 'erace completion fish > ~/.config/fish/completions/erace.fish', about: 'once, for fish' },
  ],
  async prepare({ positionals, loadCommands, io, json }, errors) {
    const [shell = '', ...rest] = positionals
    const script = scripts.get(shell)
    if (script === undefined || rest.length > 0)
      errors.push({
        place: shell.slice(0, 60) || 'SHELL',
        message: `name one shell: ${[...scripts.keys()].join(', ')}`,
      })
    return async () => {
      const text = script!(completedCommands(await loadCommands()))
      io.stdout.write(json ? `${JSON.stringify({ shell, script: text })}\n` : text)
      return exitCodes.done
    }
  },
}
