import { Fragment } from 'react'
import { Dialog } from '../kit/dialog.tsx'
import { strings } from '../shell/strings.ts'
import { areCharacterKeysOn, keysOf, registeredGroups } from './shortcuts.ts'

const keyNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ArrowDown: '↓',
    ArrowUp: '↑',
    ArrowLeft: '←',
    ArrowRight: '→',
    Escape: 'Esc',
    'Ctrl+k': 'Ctrl K',
  }),
)

function Keys({ keys }: { keys: string }) {
  return keys.split(' ').map((key, at) => (
    <Fragment key={key}>
      {at > 0 && <span className="faint">{strings.keys.between}</span>}
      <kbd>{keyNames.get(key) ?? key}</kbd>
    </Fragment>
  ))
}

export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={strings.keys.title} onClose={onClose} wide>
      {!areCharacterKeysOn() && <p>{strings.keys.off}</p>}
      <div className="keyboard-groups">
        {registeredGroups().map(({ name, shortcuts }) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl className="keyboard-list">
              {shortcuts.map((shortcut) => (
                <div key={shortcut.label}>
                  <dt>{shortcut.label}</dt>
                  <dd>
                    {keysOf(shortcut).map((keys, at) => (
                      <Fragment key={keys}>
                        {at > 0 && <span className="faint">{strings.keys.or}</span>}
                        <Keys keys={keys} />
                      </Fragment>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
