// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step of decoding in plain C, written the way llama2.c is: row-major float32
// weights, OpenMP over rows and heads, no intrinsics. compilers.py and
// benchmarks/llama2 build it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int dim, hidden, layers, heads, vocab, seq;
} Config;
typedef struct { // every pointer is into the caller's memory; per-layer tensors
                 // are arrays of `layers` pointers
  Config c;
  const float *emb, *norm, **wq, **wk, **wv, **wo, **w1, **w2, **w3, **n1, **n2;
  float *kc, *vc; // [layers][seq][dim]
  float *x, *xb, *xb2, *hb, *hb2, *q, *att, *logits;
} Model;

static void rmsnorm(float *o, const float *x, const float *w, int n) {
  float ss = 0;
  for (int i = 0; i < n; i++)
    ss += x[i] * x[i];
  ss = 1.0f / sqrtf(ss / n + 1e-5f);
  for (int i = 0; i < n; i++)
    o[i] = w[i] * (ss * x[i]);
}
static void softmax(float *x, int n) {
  float m = x[0], s = 0;
  for (int i = 1; i < n; i++)
    if (x[i] > m)
      m = x[i];
  for (int i = 0; i < n; i++) {
    x[i] = expf(x[i] - m);
    s += x[i];
  }
  for (int i = 0; i < n; i++)
    x[i] /= s;
}
static void matmul(float *o, const float *x, const float *w, int n,
                   int d) { // w: [d][n]
  int i;
#pragma omp parallel for private(i)
  for (i = 0; i < d; i++) {
    float v = 0;
    for (int j = 0; j < n; j++)
      v += w[(size_t)i * n + j] * x[j];
    o[i] = v;
  }
}
Model *llama_new(const int *cfg, const float *emb, const float *norm,
                 const float **layer /* 9 * layers: q k v o w1 w2 w3 n1 n2 */) {
  Model *m = calloc(1, sizeof *m);
  memcpy(&m->c, cfg, sizeof m->c);
  Config *c = &m->c;
  m->emb = emb;
  m->norm = norm;
  const float ***t[9] = {&m->wq, &m->wk, &m->wv, &m->wo, &m->w1,
                         &m->w2, &m->w3, &m->n1, &m->n2};
  for (int k = 0; k < 9; k++) {
    *t[k] = malloc(c->layers * sizeof(float *));
    for (int l = 0; l < c->layers; l++)
      (*t[k])[l] = layer[l * 9 + k];
  }
  size_t kv = (size_t)c->layers * c->seq * c->dim;
  m->kc = calloc(kv, 4);
  m->vc = calloc(kv, 4);
  m->x = calloc(c->dim, 4);
  m->xb = calloc(c->dim, 4);
  m->xb2 = calloc(c->dim, 4);
  m->q = calloc(c->dim, 4);
  m->hb = calloc(c->hidden, 4);
  m->hb2 = calloc(c->hidden, 4);
  m->att = calloc((size_t)c->heads * c->seq, 4);
  m->logits = calloc(c->vocab, 4);
  return m;
}
float *llama_kv(Model *m, int v) { return v ? m->vc : m->kc; }
float *llama_forward(Model *m, int token, int pos) {
  Config *c = &m->c;
  int D = c->dim, hs = D / c->heads;
  memcpy(m->x, m->emb + (size_t)token * D, D * 4);
  for (int l = 0; l < c->layers; l++) {
    size_t lo = (size_t)l * c->seq * D;
    float *k = m->kc + lo + (size_t)pos * D, *v = m->vc + lo + (size_t)pos * D;
    rmsnorm(m->xb, m->x, m->n1[l], D);
    matmul(m->q, m->xb, m->wq[l], D, D);
    matmul(k, m->xb, m->wk[l], D, D);
    matmul(v, m->xb, m->wv[l], D, D);
    for (int i = 0; i < D; i += 2) {
      float f = 1.0f / powf(10000.0f, (i % hs) / (float)hs), a = pos * f,
            co = cosf(a), si = sinf(a);
      for (int r = 0; r < 2; r++) {
        float *t = r ? k : m->q, p = t[i], q = t[i + 1];
        t[i] = p * co - q * si;
        t[i + 1] = p * si + q * co;
      }
    }
    int h;
#pragma omp parallel for private(h)
    for (h = 0; h < c->heads; h++) {
      float *q = m->q + h * hs, *att = m->att + (size_t)h * c->seq,
            *xb = m->xb + h * hs;
      for (int t = 0; t <= pos; t++) {
        const float *kk = m->kc + lo + (size_t)t * D + h * hs;
        float s = 0;
        for (int i = 0; i < hs; i++)
          s += q[i] * kk[i];
        att[t] = s / sqrtf(hs);
      }
      softmax(att, pos + 1);
      memset(xb, 0, hs * 4);
      for (int t = 0; t <= pos; t++) {
        const float *vv = m->vc + lo + (size_t)t * D + h * hs, a = att[t];
        for (int i = 0; i < hs; i++)
          xb[i] += a * vv[i];
      }
    }
    matmul(m->xb2, m->xb, m->wo[l], D, D);
    for (int i = 0; i < D; i++)
      m->x[i] += m->xb2[i];
    rmsnorm(m->xb, m->x, m->n2[l], D);
    matmul(m->hb, m->xb, m->w1[l], D, c->hidden);
    matmul(m->hb2, m->xb, m->w3[l], D, c->hidden);
    for (int i = 0; i < c->hidden; i++) {
      float x = m->hb[i];
      m->hb[i] = x * (1.0f / (1.0f + expf(-x))) * m->hb2[i];
    }
    matmul(m->xb, m->hb, m->w2[l], c->hidden, D);
    for (int i = 0; i < D; i++)
      m->x[i] += m->xb[i];
  }
  rmsnorm(m->x, m->x, m->norm, D);
  matmul(m->logits, m->x, m->emb, D, c->vocab);
  return m->logits;
}
