import { useMutation } from '@tanstack/react-query'
import { api, messageOf } from '../api/client.ts'
import type { Me } from '../api/types.ts'
import { Switch } from '../kit/switch.tsx'
import { showToast } from '../kit/toast-store.ts'
import { useKeepMe, useMe } from '../session/session.ts'

/** All of them, also those of pages that are not shown: the help at `?` has the ones that work where one is. */
const groups = [
  [
    'Everywhere',
    [
      ['g i', 'Go to the inbox'],
      ['g w', 'Go to the watches'],
      ['g p', 'Go to the profiles'],
      ['g a', 'Go to the activity'],
      ['g s', 'Go to the settings'],
      ['/ or Ctrl K', 'Search'],
      ['u', 'Undo what was done last'],
      ['?', 'Show the keys of the page'],
      ['Esc', 'Back, or close'],
    ],
  ],
  [
    'Lists',
    [
      ['j, k', 'Next, the one before'],
      ['Enter, o', 'Open'],
      ['x', 'Select'],
      ['* a, * n', 'Select all, none'],
      ['R', 'Load the list anew'],
    ],
  ],
  [
    'Inbox',
    [
      ['m', 'Read or unread'],
      ['s', 'Star'],
      ['e', 'Archive'],
      ['v', 'The original page'],
      ['d', 'What changed'],
      ['A', 'All on the page read'],
    ],
  ],
  [
    'Watches',
    [
      ['a', 'Add a watch'],
      ['c', 'Check now'],
      ['p', 'Pause, or resume'],
      ['m', 'Mute, or unmute'],
      ['#', 'Remove'],
    ],
  ],
] as const

export function ShortcutsPart() {
  const me = useMe()
  const keepMe = useKeepMe()
  const save = useMutation({
    mutationFn: (shortcuts: boolean) => api.patch<Me>('/me', { shortcuts }),
    onSuccess: (user) => keepMe({ user, via: 'session' }),
    onError: (error) => showToast(messageOf(error), { tone: 'bad' }),
  })
  return (
    <section className="kit-card kit-form">
      <h2>Keyboard</h2>
      <Switch checked={me.shortcuts} disabled={save.isPending} onChange={(on) => save.mutate(on)}>
        Single keys do something
        <span className="settings-hint">
          Switch it off if you speak to the computer, or press keys by chance. Arrows, Enter, Esc and Ctrl K stay.
        </span>
      </Switch>
      <div className="settings-keys">
        {groups.map(([name, keys]) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>
              {keys.map(([key, meaning]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </section>
  )
}
