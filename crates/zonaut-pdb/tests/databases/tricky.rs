//! Models with data flows that are easy to overlook: through temporary storage, through references,
//! through assignments inside of expressions; and models with run-time errors.

/// Models, each with queries.
pub(crate) const MODELS: &[(&str, &[&str])] = &[
    (
        "int[0,20] v, w; process P() { state a, b; init a;
            trans a -> b { assign v = (w = 1) * 3; }, b -> a { assign v = v + (w += 2) * 2; }; }
        system P;",
        &["E<> v == 3", "E<> v == 9 and w == 3", "E<> P.b and v == 20"],
    ),
    (
        "int[0,9] a[3]; int[0,3] i; int[0,3] next() { i++; return i - 1; }
        process P() { state s, t; init s;
            trans s -> t { assign a[next()] += 5; }, t -> s { assign a[next()]++, a[0] = i--; }; }
        system P;",
        &["E<> a[0] == 5 and i == 1", "E<> i == 2", "E<> a[1] == 5"],
    ),
    (
        "int[0,9] v; bool c; process P() { state a, b; init a;
            trans a -> b { assign c ? (v = 2) : (v = 3); }, b -> a { assign c = !c; }; }
        system P;",
        &["E<> v == 2", "E<> v == 4"],
    ),
    (
        "typedef struct { int[0,9] x; int[0,9] y; } S; S s, t = { 4, 5 }; bool g = true;
        S pair(int[0,9] k) { S it = { k, k }; if (k > 8) return it; it.y = 1; return it; }
        S again(S it) { it.x = it.y; return it; }
        process P() { state a, b, c, d; init a;
            trans a -> b { assign s = (g ? t : s); }, b -> c { assign s = pair(s.y); },
                c -> d { guard pair(3).x == 3 && (g ? s : t).y == 1; assign s = again(pair(s.x)); },
                d -> a { guard again(s) == s; assign g = !g; }; }
        system P;",
        &[
            "E<> s.x == 4",
            "E<> P.d and s.x == 1",
            "E<> pair(s.y).x == 5 and P.b",
            "E<> (P.b ? t : s).x == 4 and P.b",
            "E<> P.a and !g",
        ],
    ),
    (
        "typedef struct { int[0,9] x; } S; S s; S one(int[0,9] k) { S it = { k }; return it; }
        process P() { state a, b; init a; trans a -> b { assign s = one(4); }; } system P;",
        &["E<> s.x == 4", "E<> s.x == 5"],
    ),
    (
        "int[0,9] u, v; void raise(int[0,9] &x, int[0,3] by) { x = x + by; }
        int[0,9] twice(const int[0,9] &x) { int[0,9] y = x; raise(y, x); return y; }
        bool small(const int &k) { return k < 3; }
        process P() { state a, b, c; init a;
            trans a -> b { select i : int[0,4]; guard small(i); assign raise(u, i); },
                b -> c { guard exists (k : int[0,5]) small(k) && k == u; assign v = twice(u); }; }
        system P;",
        &["E<> v == 4", "E<> v == 2 and P.c", "E<> u == 3"],
    ),
    (
        "int[0,9] v[2][3]; int[0,3] i, j; typedef struct { int[0,1] f; int[0,9] n; } S; S t[2];
        process P() { state a, b; init a;
            trans a -> a { guard i < 2; assign i++; }, a -> a { guard j < 3; assign j++; },
                a -> b { assign v[i][j] = 1; }, a -> b { assign t[i].f = j; },
                b -> b { assign t[1].n = t[0].n + 3, t[0].n = j; }; }
        system P;",
        &["E<> v[1][2] == 1", "E<> t[1].n == 6", "E<> v[1][0] == 2"],
    ),
    (
        "int[0,9] v[2][3]; int[0,2] j; process P() { state a, b; init a;
            trans a -> b { guard v[0][j + 1] == 0; }, a -> a { guard j < 2; assign j++; }; }
        system P;",
        &["E<> P.b and j == 2", "E<> j == 2 and v[1][0] == 1"],
    ),
    (
        "int a[3]; int v; clock x; process P(const int k) { state s, t; init s;
            trans s -> t { guard v == 1 && a[k] == 0; }, s -> s { guard x > 2 && v == 0; assign v = 1; }; }
        Q = P(7); R = P(2);
        system Q, R;",
        &["E<> Q.t", "E<> R.t", "E<> v == 1"],
    ),
    (
        "int[0,9] s[3] = { 1, 2, 0 }; int[0,2] k;
        typedef struct { int[0,2] at; int[0,9] what; } S; S list[3] = { { 1, 5 }, { 2, 6 }, { 0, 7 } }; S it;
        process P() { state a, b; init a;
            trans a -> b { assign it = list[it.at]; }, b -> a { assign list[it.at] = list[list[it.at].at]; },
                b -> b { assign s[s[s[k]]] = s[k]; }, b -> b { assign k = (k + 1) % 3; }; }
        system P;",
        &["E<> it.what == 6", "E<> it.at == 2 and it.what == 7", "E<> s[2] == 1"],
    ),
    (
        "int n = 4; int[0,3] narrow(int k) { return k; } void nothing() { }
        int[0,9] odd(int k) { while (k > 1) { k -= 2; } do { k++; } while (k < 2); return k; }
        process P() { state a, b, c; init a;
            trans a -> b { assign nothing(), n = odd(n); }, b -> c { guard narrow(n) == 2; assign n = 5; },
                c -> a { guard narrow(n) == 5; }; }
        system P;",
        &["E<> P.c", "E<> n == 7"],
    ),
    (
        "chan c[3]; urgent broadcast chan d[2]; int[0,2] i; int[0,1] j; clock x;
        process P() { state a, b; init a;
            trans a -> b { sync c[i]!; }, b -> a { sync d[j]!; assign j = 1 - j; }, a -> a { guard i < 2; assign i++; }; }
        process Q() { state a, b; init a;
            trans a -> b { sync c[2]?; }, b -> a { sync d[j]?; assign x = 0; }, b -> a { sync d[1]?; }; }
        system P, Q;",
        &["E<> Q.b and i == 2", "E<> Q.b and x > 0", "E<> j == 1 and x > 3"],
    ),
    (
        "int[0,9] v, w; int[0,9] f(int[0,9] k) { v = k; return k; }
        process P() { state a, b; init a;
            trans a -> b { assign w = f(2) + (v > 1 && f(3) > 2 ? v : 1); },
                b -> a { assign w = abs(f(1)) + (sum (i : int[1,2]) (v + i)); },
                b -> b { assign w = (v = 4) - v++ + --v; }; }
        system P;",
        &["E<> w == 5", "E<> w == 6", "E<> v == 4 and w == 4"],
    ),
    (
        "int[-2147483648,2147483647] big = -2147483648; int[0,200000000] v = 100000000; clock x;
        process P() { state a, b, c; init a;
            trans a -> b { assign big = big + 1; }, b -> c { guard x >= v; }, b -> a { assign x = v; }; }
        system P;",
        &["E<> big == -2147483647", "E<> P.c"],
    ),
    (
        "typedef struct { int[0,3] l[2]; int[0,3] n; } L; L q, r; meta int[0,3] m; int[0,3] z = 2;
        void push(L &to, int[0,3] e) { to.l[to.n] = e; to.n++; }
        L with(L from, int[0,3] e) { push(from, e); return from; }
        process P() { state a, b; init a;
            trans a -> a { guard q.n < 2; assign m = z, push(q, m), z = (z + 1) % 3; },
                a -> b { guard q.n == 2; assign r = with(r, q.l[1]), m = r.l[0], z = m; },
                b -> a { assign q.n = 0, q = (z > 1 ? r : with(q, 3)); }; }
        system P;",
        &["E<> P.b and r.l[0] == 0", "E<> q.l[0] == 3", "E<> r.n == 2"],
    ),
    (
        "int[0,9] v; clock x, y[2]; void both(clock &p, int[0,9] to) { p = to; y[to % 2] = 0; }
        process P() { state a { x <= (v > 3 ? 5 : 2) }, b; init a;
            trans a -> a { guard v < 5 && x >= v; assign both(x, 1), v++; },
                a -> b { guard (v > 2 imply y[1] >= 1) && x - y[0] <= v; assign y[0] = y[v % 2]; }; }
        system P;",
        &["E<> P.b and v == 4", "E<> y[0] > 3 and P.a", "E<> v == 5 and P.b and y[0] - x > 1"],
    ),
    (
        "typedef struct { int[0,9] x; int[0,9] y; } S; S s = { 1, 2 }, t = { 3, 4 }; S list[2]; int[0,9] v;
        int[0,1] other() { S h = s; s = t; t = h; v = (v + 1) % 4; return v % 2; }
        S given() { v = (v + 2) % 5; return s; }
        bool given2(const S &p, S q) { return p.x <= q.x || p == q; }
        process P() { state a, b, c; init a;
            trans a -> b { assign list[other()] = (v > 1 ? given() : t); },
                b -> a { guard given2(list[0], s); assign s = list[other()]; },
                b -> c { assign v = (s == given() ? 1 : 0) + (given() == list[other()] ? 2 : 0); },
                c -> a { assign list[given().x % 2].y += other(); }; }
        system P;",
        &["E<> list[1].x == 3", "E<> P.c and v == 3", "E<> list[0] == t and v == 0 and P.a"],
    ),
];
