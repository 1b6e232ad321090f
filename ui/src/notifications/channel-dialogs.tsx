import { type ComponentType, useState } from 'react'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import type { Channel, ChannelKind, Me, NewChannel, SavedChannel } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { CopyText } from '../kit/copy-text.tsx'
import { ConfirmDialog, Dialog } from '../kit/dialog.tsx'
import { strings as shared } from '../kit/strings.ts'
import { showToast } from '../kit/toast.tsx'
import { useKeepMe, useMe } from '../session/session.ts'
import { formError } from '../settings/form-errors.ts'
import { browserZone } from '../time/zone-input.tsx'
import { BrowserDialog } from './browser-dialog.tsx'
import { ChannelFields, otherError } from './channel-fields.tsx'
import { ChannelIcon } from './channel-icon.tsx'
import { freeName, settingsOf, valuesOf } from './channel-values.ts'
import { strings } from './strings.ts'
import { useChannels, useTurn, useUsers } from './use-channels.ts'

const text = strings.form
const MAX_NAMED = 10
type Closing = { onClose: () => void }

type NewProps = { kind: ChannelKind; onBack: () => void } & Closing

/** Forms for kinds whose settings come from the browser, not from the user. */
const browserForms: ReadonlyMap<string, ComponentType<NewProps>> = new Map([['webpush', BrowserDialog]])

const isOffered = ({ kind, isByBrowser }: ChannelKind): boolean => isByBrowser !== true || browserForms.has(kind)

/** First the kind, then its settings, then the secret, which is shown only once. */
export function AddChannelDialog({ kinds, onClose }: { kinds: readonly ChannelKind[] } & Closing) {
  const [kind, setKind] = useState<ChannelKind | null>(null)
  if (kind !== null) {
    const Form = browserForms.get(kind.kind) ?? NewChannelDialog
    return <Form kind={kind} onBack={() => setKind(null)} onClose={onClose} />
  }
  return (
    <Dialog title={text.chooseTitle} wide onClose={onClose}>
      <ul className="channels-kinds" aria-label={text.kinds}>
        {kinds.filter(isOffered).map((each) => (
          <li key={each.kind}>
            <button type="button" className="channels-kind" onClick={() => setKind(each)}>
              <ChannelIcon kind={each.kind} />
              <span>
                <strong>{each.label}</strong>
                <span className="kit-field-hint">{each.about}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** Quiet hours and digests need a time zone: stores the browser's if the user has none. */
function useZoneAtFirstUse() {
  const me = useMe()
  const keepMe = useKeepMe()
  return async () => {
    if (me.timeZone !== '') return
    // A failure can be ignored: the user can set it in the defaults below the channels.
    const user = await api.patch<Me>('/me', { timeZone: browserZone() }).catch(() => null)
    if (user !== null) keepMe({ user, via: 'session' })
  }
}

function NewChannelDialog({ kind, onBack, onClose }: NewProps) {
  const me = useMe()
  const takeZone = useZoneAtFirstUse()
  const taken = useChannels().data?.items.map((channel) => channel.name) ?? []
  const [name, setName] = useState(() => freeName(kind, taken))
  const [values, setValues] = useState(() => {
    const usual = valuesOf(kind.settings, null)
    return kind.kind === 'email' ? { ...usual, to: me.email } : usual
  })
  const create = useChange(
    ['channels'],
    () =>
      api.post<NewChannel>('/channels', {
        kind: kind.kind,
        name: name.trim(),
        settings: settingsOf(kind.settings, values),
      }),
    {
      onSuccess: (channel) => {
        void takeZone()
        if (channel.secret !== undefined) return
        showToast(toldWith(text.added(channel.name), channel))
        onClose()
      },
    },
  )
  const secret = create.data?.secret
  if (create.data !== undefined && secret !== undefined) {
    return <SecretDialog channel={create.data} secret={secret} onClose={onClose} />
  }
  return (
    <ConfirmDialog
      title={text.newTitle(kind.label)}
      confirm={create.isPending ? text.creating : text.create}
      variant="primary"
      disabled={create.isPending || name.trim() === ''}
      error={otherError(create.error, kind.settings)}
      onBack={onBack}
      onConfirm={() => create.mutate()}
      onClose={onClose}
    >
      <p className="soft">{kind.about}</p>
      <ChannelFields
        fields={kind.settings}
        channel={null}
        name={name}
        values={values}
        error={create.error}
        onName={setName}
        onChange={setValues}
      />
    </ConfirmDialog>
  )
}

function SecretDialog({ channel, secret, onClose }: { channel: NewChannel; secret: string } & Closing) {
  return (
    <Dialog
      title={text.secretTitle(channel.name)}
      onClose={onClose}
      actions={<Button label={shared.done} variant="primary" onClick={onClose} />}
    >
      <div className="kit-form">
        <p>{text.secretBody}</p>
        <CopyText label={text.secret} value={secret} />
        {channel.warnings?.map((warning) => (
          <p key={warning} className="kit-notice tone-warn">
            {strings.warning(warning)}
          </p>
        ))}
      </div>
    </Dialog>
  )
}

/** The toast after saving, with warnings about settings that are stored but can't work at the moment. */
function toldWith(done: string, { warnings = [] }: SavedChannel): string {
  return [done, ...warnings.map((warning) => strings.warning(warning))].join(' ')
}

type EditProps = { channel: Channel; kind: ChannelKind | undefined } & Closing

export function EditChannelDialog({ channel, kind, onClose }: EditProps) {
  // Users can't edit the settings of a browser.
  const fields = kind === undefined || kind.isByBrowser === true ? [] : kind.settings
  const [name, setName] = useState(channel.name)
  const [values, setValues] = useState(() => valuesOf(fields, channel))
  const save = useChange(
    ['channels'],
    () =>
      api.patch<SavedChannel>(`/channels/${encodeURIComponent(channel.id)}`, {
        name: name.trim(),
        ...(fields.length > 0 && { settings: settingsOf(fields, values) }),
      }),
    {
      onSuccess: (saved) => {
        showToast(toldWith(text.saved(saved.name), saved))
        onClose()
      },
    },
  )
  return (
    <ConfirmDialog
      title={text.editTitle(channel.name)}
      confirm={save.isPending ? shared.saving : shared.save}
      variant="primary"
      disabled={save.isPending || name.trim() === ''}
      error={otherError(save.error, fields)}
      onConfirm={() => save.mutate()}
      onClose={onClose}
    >
      <ChannelFields
        fields={fields}
        channel={channel}
        name={name}
        values={values}
        error={save.error}
        onName={setName}
        onChange={setValues}
      />
    </ConfirmDialog>
  )
}

/** Asks for confirmation if turning the channel off would lose something. */
export function TurnOffDialog({ channel, onClose }: { channel: Channel } & Closing) {
  const turn = useTurn(channel, onClose)
  return (
    <ConfirmDialog
      title={text.turnOffTitle(channel.name)}
      confirm={text.turnOffConfirm(channel.name)}
      disabled={turn.isPending}
      error={formError(turn.error)}
      onConfirm={() => turn.mutate('off')}
      onClose={onClose}
    >
      <p>{text.turnOffWaiting(channel.waiting)}</p>
    </ConfirmDialog>
  )
}

export function RemoveChannelDialog({ channel, onClose }: { channel: Channel } & Closing) {
  const { named, more } = useUsers(channel, MAX_NAMED)
  const { id, name, profiles, waiting } = channel
  const remove = useChange(
    ['channels', 'deliveries', 'profiles', 'profile-editing'],
    () => api.delete(`/channels/${encodeURIComponent(id)}`),
    {
      onSuccess: () => {
        showToast(text.removed(name))
        onClose()
      },
    },
  )
  return (
    <ConfirmDialog
      title={text.removeTitle(name)}
      confirm={text.removeConfirm(name)}
      disabled={remove.isPending}
      error={formError(remove.error)}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {profiles.length === 0 ? (
        <p>{text.removeUnused}</p>
      ) : (
        <>
          <p>{text.removeUsed}</p>
          <ul className="channels-used">
            {named.map((profile) => (
              <li key={profile.id}>{profile.name}</li>
            ))}
            {more > 0 && <li>{text.moreProfiles(more)}</li>}
          </ul>
        </>
      )}
      {waiting > 0 && <p>{text.removeWaiting(waiting)}</p>}
    </ConfirmDialog>
  )
}
