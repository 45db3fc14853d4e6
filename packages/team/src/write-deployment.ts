/** Example files to run a team with containers: for Docker Compose, and for Kubernetes. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '@crewagent/core';

const DOCKERFILE = `# Build it in a clone of CrewAgent: docker build -f Dockerfile -t crewagent .
FROM node:22-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap git ripgrep \\
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY . .
RUN npm ci && npm run build
USER node
ENTRYPOINT ["node", "apps/cli/dist/crewagent.js"]
`;

const toCompose = (
  publicUrl: string,
): string => `# docker compose up; secrets are in .env: POSTGRES_PASSWORD, CREWAGENT_SECRET_KEY (openssl rand -base64 32)
x-crewagent: &crewagent
  image: crewagent
  environment: &environment
    CREWAGENT_DATABASE_URL: postgres://crewagent:\${POSTGRES_PASSWORD}@database/crewagent
    CREWAGENT_SECRET_KEY: \${CREWAGENT_SECRET_KEY}
  restart: unless-stopped
services:
  database:
    image: postgres:17
    environment: { POSTGRES_USER: crewagent, POSTGRES_PASSWORD: "\${POSTGRES_PASSWORD}", POSTGRES_DB: crewagent }
    volumes: ["database:/var/lib/postgresql/data"]
    healthcheck: { test: ["CMD", "pg_isready", "-U", "crewagent"], interval: 5s, retries: 20 }
  init:
    <<: *crewagent
    command: ["team", "init", "--email", "\${ADMIN_EMAIL}", "--public-url", "${publicUrl}"]
    restart: "no"
    depends_on: { database: { condition: service_healthy } }
  server:
    <<: *crewagent
    command: ["serve", "--team", "--host", "0.0.0.0", "--port", "8080", "--public-url", "${publicUrl}"]
    ports: ["8080:8080"]
    depends_on: { init: { condition: service_completed_successfully } }
  worker:
    <<: *crewagent
    command: ["worker", "--slots", "8"]
    depends_on: { init: { condition: service_completed_successfully } }
    deploy: { replicas: 2 }
    stop_grace_period: 35s
volumes: { database: {} }
`;

const toKubernetes = (
  publicUrl: string,
): string => `# kubectl apply -f kubernetes.yaml; first make the secret:
# kubectl create secret generic crewagent --from-literal=database-url=postgres://… --from-literal=secret-key="$(openssl rand -base64 32)"
${toDeployment('server', ['serve', '--team', '--host', '0.0.0.0', '--port', '8080', '--public-url', publicUrl], 2)}---
${toDeployment('worker', ['worker', '--slots', '8'], 4)}---
apiVersion: v1
kind: Service
metadata: { name: crewagent }
spec:
  selector: { app: crewagent-server }
  ports: [{ port: 80, targetPort: 8080 }]
`;

function toDeployment(name: string, args: readonly string[], replicas: number): string {
  const probes =
    name === 'server'
      ? `
          ports: [{ containerPort: 8080 }]
          livenessProbe: { httpGet: { path: /healthz, port: 8080 } }
          readinessProbe: { httpGet: { path: /readyz, port: 8080 } }`
      : '';
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: crewagent-${name} }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: crewagent-${name} } }
  template:
    metadata: { labels: { app: crewagent-${name} } }
    spec:
      terminationGracePeriodSeconds: 40
      containers:
        - name: ${name}
          image: crewagent
          args: ${JSON.stringify(args)}${probes}
          env:
            - { name: CREWAGENT_DATABASE_URL, valueFrom: { secretKeyRef: { name: crewagent, key: database-url } } }
            - { name: CREWAGENT_SECRET_KEY, valueFrom: { secretKeyRef: { name: crewagent, key: secret-key } } }
            - { name: CREWAGENT_SCRATCH, value: /scratch }
          volumeMounts: [{ name: scratch, mountPath: /scratch }]
      volumes: [{ name: scratch, emptyDir: {} }]
`;
}

/** Returns the paths. Files that are there are not replaced. */
export async function writeDeployment(
  folder: string,
  { publicUrl = 'https://crew.example.com' }: { readonly publicUrl?: string | undefined },
): Promise<string[]> {
  const files = {
    Dockerfile: DOCKERFILE,
    'compose.yaml': toCompose(publicUrl),
    'kubernetes.yaml': toKubernetes(publicUrl),
  };
  makeFolders(folder);
  const written: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    const isNew = await writeFile(path, text, { flag: 'wx' }).then(
      () => true,
      () => false,
    );
    if (isNew) written.push(path);
  }
  return written;
}
