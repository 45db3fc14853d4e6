/**
 * Sources to import: a made-up gardening module with every construct that real modules use.
 */
import { createSourceTree, type SourceTree } from '../import/read-source.ts';

export type SourceFiles = Readonly<Record<string, string>>;

export function sourceTree(files: SourceFiles, name = 'garden'): SourceTree {
  return createSourceTree(
    name,
    new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
  );
}

const SOW = 'plants/workflows/1-spring/sow-bed';

/** A module of the v6 era: micro steps, agents, questions, data. */
export const V6_MODULE: SourceFiles = {
  LICENSE: 'MIT License\n\nCopyright (c) 2026 Some Gardener\n',
  'core/module.yaml': `code: core
name: "Base"
user_name:
  prompt: "How shall we call you?"
  default: "Gardener"
  result: "{value}"
communication_language:
  prompt: "Which language do you speak?"
  default: "English"
  result: "{value}"
output_folder:
  prompt: "Where do results go?"
  default: "_results"
  result: "{project-root}/{value}"
`,
  'core/tasks/weigh.xml': '<task id="weigh">Weigh it with {project-root}/_bmad/core/data/scale.csv</task>\n',
  'core/data/scale.csv': 'unit,grams\n',
  'plants/module.yaml': `code: plants
plans:
  prompt:
    - "Where do plans go?"
    - "Beds and calendars."
  default: "{output_folder}/plans"
  result: "{project-root}/{value}"
skill_level:
  prompt: "How long have you gardened?"
  scope: user
  default: "some"
  result: "{value}"
  single-select:
    - value: "new"
      label: "Just started"
    - value: "some"
      label: "A few years"
`,
  'plants/agents/fern.agent.yaml': `agent:
  metadata:
    id: "_bmad/plants/agents/fern.md"
    name: Fern
    title: Gardener
    icon: 🌿
    module: plants
    capabilities: "beds, seeds"
    hasSidecar: true
  persona:
    role: Plans beds
    identity: Grew up in a nursery.
    communication_style: 'It\\'s plain talk.'
    principles: |
      - Soil first.
  critical_actions:
    - "Read {project-root}/_bmad/_memory/fern-sidecar/notes.md first"
  prompts:
    - id: hello
      content: "Greet the person."
  menu:
    - trigger: SB or fuzzy match on sow-bed
      exec: "{project-root}/_bmad/plants/workflows/1-spring/sow-bed/workflow.md"
      data: "{project-root}/_bmad/plants/data/frost.csv"
      description: "[SB] Sow a bed"
    - trigger: WG or fuzzy match on weigh
      exec: "{project-root}/_bmad/core/tasks/weigh.xml"
      description: "[WG] Weigh the harvest"
    - trigger: WD or fuzzy match on weed-bed
      workflow: "{project-root}/_bmad/plants/workflows/weed-bed/workflow.yaml"
      description: "[WD] Weed a bed"
    - trigger: HI or fuzzy match on hello
      action: "#hello"
      description: "[HI] Say hello"
    - trigger: GO or fuzzy match on gone
      workflow: "{project-root}/_bmad/plants/workflows/gone/workflow.md"
      description: "[GO] Not there any more"
`,
  'plants/agents/fern-sidecar/notes.md': '# Notes of Fern\n',
  'plants/data/frost.csv': 'month,frost\n',
  [`${SOW}/workflow.md`]: `---
name: sow-bed
description: Plan and sow one bed.
main_config: '{project-root}/_bmad/plants/config.yaml'
---

# Sow a bed

Never rush the soil. Speak {communication_language}. Plans go to {plans}.

Read fully and follow: \`{project-root}/_bmad/${SOW}/steps/step-01-soil.md\` to begin.
`,
  [`${SOW}/bed.template.md`]: '# Bed of {{user_name}}\n',
  [`${SOW}/steps/step-01-soil.md`]: `---
name: 'step-01-soil'
description: 'Look at the soil'

# Paths
nextStepFile: './step-02-seeds.md'
continueStepFile: './step-01b-continue.md'
outputFile: '{plans}/bed-{{date}}.md'
bedTemplate: '../bed.template.md'
bedTemplate: '../bed.template.md'
askTask: '{project-root}/_bmad/core/tasks/weigh.xml'
type: soil
---

# Step 1: Soil

If the plan exists, **stop** and load \`{continueStepFile}\`.

Copy {bedTemplate} to \`{outputFile}\`. See also \`_bmad/core/data/scale.csv\`.

- IF A: Read fully and follow: {askTask}, then show the menu again
- IF C: Save to {outputFile}, then read fully and follow: {nextStepFile}

Never load ./step-03-done.md from here.
`,
  [`${SOW}/steps/step-01b-continue.md`]: `# Continue

Load the appropriate next step based on \`stepsCompleted\`.

Example: load \`./step-03-done.md\`.
`,
  [`${SOW}/steps/step-02-seeds.md`]: `# Step 2: Seeds

This step only looks; it does not write {plans}/seeds.md anywhere. Search the web for seeds; if not available, ask.

#### If 'C' (Continue):

- Load \`./step-03-done.md\`

#### If 'B' (Back):

- Return to \`./step-01-soil.md\`
- Then read fully and follow \`./step-09-gone.md\`
`,
  [`${SOW}/steps/step-03-done.md`]:
    '# Step 3: Done\r\n\r\nSave the calendar to {plans}/calendar.md and {harvest}/x.md.\r\n',
};

/** A classic workflow that calls the one above. */
export const CLASSIC: SourceFiles = {
  'plants/workflows/weed-bed/workflow.yaml': `name: weed-bed
description: "Weed one bed"
config_source: "{project-root}/_bmad/plants/config.yaml"
plans: "{config_source}:plans"
user_name: "{config_source}:user_name"
date: system-generated
installed_path: "{project-root}/_bmad/plants/workflows/weed-bed"
instructions: "{installed_path}/instructions.md"
template: "{installed_path}/template.md"
log_file: "{plans}/weeds.md"
default_output_file: "{log_file}"
input_file_patterns:
  beds:
    whole: "{plans}/*bed*.md"
    load_strategy: "FULL_LOAD"
`,
  'plants/workflows/weed-bed/template.md': '# Weeds\n',
  'plants/workflows/weed-bed/instructions.md': `# Weed a bed

<critical>Leave the bees alone. You MUST have loaded {installed_path}/workflow.yaml</critical>

<workflow>

<step n="2" goal="Pull">
  <template-output file="{default_output_file}">pulled</template-output>
  <check if="the bed is bare">
    <invoke-workflow path="{project-root}/_bmad/plants/workflows/1-spring/sow-bed/workflow.md" />
  </check>
</step>

<step n="1" goal="Look at the bed">
  <ask>Which bed?</ask>
  <invoke-protocol name="discover_inputs" />
  <check if="there are no weeds">
    <action>Exit workflow</action>
  </check>
  <check if="only a report is wanted">
    <action>GOTO step 20</action>
  </check>
  <action if="the path is lost">Jump to Step 9</action>
</step>

<step n="3" goal="Compost" optional="true">
  <template-output>heap_count = {{count}}</template-output>
</step>

<step n="4" goal="Rest">
  <action>Sit down.</action>
</step>

<step n="20" goal="Report">
  <action>Tell the person what grows.</action>
</step>

</workflow>
`,
};

/** Newer BMAD skills and plain Agent Skills. */
export const SKILLS: SourceFiles = {
  'module.yaml': 'code: plants\n',
  'fern/SKILL.md': '---\nname: fern\ndescription: A gardener\n---\n\n# Fern\n',
  'fern/customize.toml': `# Defaults
[agent]
name = "Fern"
title = "Gardener"
icon = "🌿"
role = 'Plans "beds"'
identity = """
Grew up \\
in a nursery."""
communication_style = "Plain."
principles = ["Soil first.", "Then water."] # in this order
persistent_facts = []

[[agent.menu]]
code = "PF"
description = "Press flowers"
skill = "press-flowers"

[[agent.menu]]
code = "XX"
description = "Not there"
skill = "gone"

[[agent.menu]]
code = "TK"
description = "Talk"
prompt = "Talk about plants."
`,
  'press-flowers/SKILL.md': `---
name: press-flowers
description: Press flowers. Use when the person has flowers.
---

# Press flowers

Be gentle. {skill-root} is this folder.

## Step 1: Choose

Choose from references/flowers.md. Run \`python scripts/sort.py\`.

### Colours

Any.

## Step 2: Press

Press them. If torn, go back to step 1.

## Afterwards

Clean the table.
`,
  'press-flowers/references/flowers.md': '# Flowers\n',
  'press-flowers/scripts/sort.py': 'raise SystemExit("never run")\n',
  'note/SKILL.md':
    '---\nname: note\ndescription: Take a note\n---\nWrite one sentence; use templates/gone.md.\n',
};
