/** Every primitive in all its states. */
import { Copy, FileText, Folder, Inbox, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code/code-block.tsx';
import { DiffView } from '../ui/code/diff-view.tsx';
import { parseDiff } from '../ui/code/parse-diff.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Checkbox, RadioGroup, Switch } from '../ui/forms/checkbox.tsx';
import { Field } from '../ui/forms/field.tsx';
import { Input, Textarea } from '../ui/forms/input.tsx';
import { SelectField } from '../ui/forms/simple-fields.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { Note } from '../ui/note.tsx';
import { AlertDialog } from '../ui/overlays/alert-dialog.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Menu } from '../ui/overlays/menu.tsx';
import { Popover } from '../ui/overlays/popover.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { PhasePill } from '../ui/phase-pill.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Tree } from '../ui/tree/tree.tsx';
import { DIFF } from './made-events.ts';

export function PrimitivesScene() {
  return (
    <main className="h-full overflow-auto bg-surface p-6">
      <h1 className="mb-4 text-xl font-semibold">Primitives</h1>
      <div className="grid gap-8 md:grid-cols-2">
        <Buttons />
        <Fields />
        <Words />
        <Places />
      </div>
    </main>
  );
}

const PHASES = [
  'Running',
  'WaitingUser',
  'Stopped',
  'CutOff',
  'Limit',
  'Problem',
  'Completed',
  'Failed',
] as const;
const APPROVALS = [
  { value: 'a', label: 'Ask', hint: 'Before each write outside of artifacts' },
  { value: 'b', label: 'Autopilot' },
];

function Buttons() {
  const [open, setOpen] = useState<'dialog' | 'alert'>();
  const close = (): void => setOpen(undefined);
  return (
    <section aria-label="Buttons" className="flex flex-col gap-4">
      <div className="flex flex-wrap gap-2">
        {(['primary', 'plain', 'quiet', 'danger'] as const).map((kind) => (
          <Button key={kind} kind={kind}>
            {kind}
          </Button>
        ))}
        <Button isBusy>Busy</Button>
        <Button disabled>Off</Button>
        <IconButton label="Copy">
          <Copy />
        </IconButton>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setOpen('dialog')}>Open a dialog</Button>
        <Button onClick={() => setOpen('alert')}>Delete something</Button>
        <Button onClick={() => useToasts.getState().show('Saved')}>Toast</Button>
        <Menu
          label="More"
          trigger={<Button>Menu</Button>}
          items={[
            { id: 'rename', label: 'Rename', icon: <Pencil />, onChoose: () => undefined },
            'separator',
            { id: 'delete', label: 'Delete', icon: <Trash2 />, isDanger: true, onChoose: () => undefined },
          ]}
        />
        <Popover label="Details" trigger={<Button>Popover</Button>}>
          More about it.
        </Popover>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {PHASES.map((phase) => (
          <PhasePill key={phase} phase={phase} />
        ))}
        <Badge>draft</Badge>
        <Kbd keys="Mod+Shift+K" />
      </div>
      <ProgressBar label="Import" value={0.4} />
      <Skeleton />
      <Dialog
        isOpen={open === 'dialog'}
        onClose={close}
        title="Rename"
        description="Give it another name."
        footer={<Button kind="primary">Rename</Button>}
      >
        <Field label="Name">{(ids) => <Input {...ids} defaultValue="Larder" />}</Field>
      </Dialog>
      <AlertDialog
        isOpen={open === 'alert'}
        title="Delete this conversation?"
        confirmLabel="Delete"
        onCancel={close}
        onConfirm={close}
      >
        Its runs are deleted with it. Files in your project stay.
      </AlertDialog>
    </section>
  );
}

function Fields() {
  const [text, setText] = useState('Grows with\nwhat is in it');
  const [isChecked, setChecked] = useState(true);
  const [isOn, setOn] = useState(true);
  const [choice, setChoice] = useState('b');
  return (
    <section aria-label="Fields" className="flex flex-col gap-4">
      <Field label="Name" hint="As others see it">
        {(ids) => <Input {...ids} placeholder="Larder" />}
      </Field>
      <Field label="Key" issue="This key was not accepted.">
        {(ids) => <Input {...ids} defaultValue="sk-…" />}
      </Field>
      <Field label="Notes">
        {(ids) => <Textarea {...ids} value={text} onChange={(event) => setText(event.target.value)} />}
      </Field>
      <SelectField label="Permissions" value={choice} onChoose={setChoice} options={APPROVALS} />
      <Checkbox label="Show hidden files" isChecked={isChecked} onChange={setChecked} />
      <Switch label="Tools of other servers" isOn={isOn} onChange={setOn} />
      <RadioGroup label="Approval" value={choice} onChange={setChoice} options={APPROVALS} />
    </section>
  );
}

function Words() {
  return (
    <section aria-label="Words" className="flex flex-col gap-4">
      <Note
        level="error"
        title="The provider rejected the key."
        advice="Check the key in Settings, then resume."
        details={{ label: 'Code', text: 'LLM_AUTH_FAILED' }}
      >
        The provider answered 401.
      </Note>
      <Note level="warning" title="Rate limit reached." />
      <Note level="info" title="Older tool results were summarized." />
      <CodeBlock text={'{\n  "path": "@project/docs/plan.md"\n}'} label="Arguments" title="Asked for" />
      <DiffView diff={parseDiff(DIFF)} label="Changes" />
      <Markdown text={'Some **bold** words, `code` and a [link](https://example.com).\n\n- one\n- two'} />
    </section>
  );
}

function Places() {
  const [active, setActive] = useState('a');
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(new Set(['docs']));
  const file = <FileText />;
  return (
    <section aria-label="Navigation" className="flex flex-col gap-4">
      <div className="h-40 border">
        <Tabs
          label="Views"
          active={active}
          onChange={setActive}
          tabs={[
            { id: 'a', label: 'Progress', content: <p className="p-3">How far it is</p> },
            { id: 'b', label: 'Artifacts', content: <p className="p-3">What it made</p> },
          ]}
        />
      </div>
      <Tree
        label="Files"
        openIds={openIds}
        onToggle={(id, isOpen) =>
          setOpenIds(new Set(isOpen ? [...openIds, id] : [...openIds].filter((other) => other !== id)))
        }
        onChoose={() => undefined}
        chosenId="docs/plan.md"
        nodes={[
          {
            id: 'docs',
            label: 'docs',
            icon: <Folder />,
            children: [
              { id: 'docs/brief.md', label: 'brief.md', icon: file },
              { id: 'docs/plan.md', label: 'plan.md', icon: file },
            ],
          },
          { id: 'readme.md', label: 'README.md', icon: file },
        ]}
      />
      <div className="h-56 border">
        <EmptyState
          icon={<Inbox />}
          title="Nothing waits for you"
          action={<Button kind="primary">Start a workflow</Button>}
        >
          Runs that need your answer are listed here.
        </EmptyState>
      </div>
    </section>
  );
}
