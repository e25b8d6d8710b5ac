"""What rows of a formula go on from, and what equations leave out: signs of roots, branches, constants of
integration, conditions; and notations that are no calculation of numbers."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def _list_accused(proofreader: TextProofreader, text: str) -> list[str]:
    links = proofreader.check_links(text)
    accused = ("wrong", "doubtful", "loses domain")
    return [f"{each.left}{each.relation}{each.right}" for each in links if each.verdict in accused]


@pytest.mark.parametrize(
    ("rows", "accused"),
    [
        # A letter that words lead to is a side of its own.
        (r"\int x e^{x^2}dx &= A \\ \text{Let u} &= x^2 \\ du &= 2x\,dx", []),
        (r"\text{Let n} &= 4 \\ n + 1 &= 5", []),
        (r"\text{Let n} &= 4 \\ n + 1 &= 6", ["n + 1=6"]),
        # Behind a differential the integral above goes on.
        (r"u &= \sin x \\ du &= \cos x\,dx \\ &= \int u^2\,du \\ &= \frac13 u^3 + C", []),
        (
            r"u &= \sin x \\ du &= \cos x\,dx \\ &= \int u^2\,du \\ &= \frac12 u^3 + C",
            [r"\int u^2\,du=\frac12 u^3 + C"],
        ),
        # What is substituted stands behind a space of TeX.
        (
            r"\int \sin x\cos x\,dx &= \int \cos x \sin x\,dx \hskip 1 truein u = \sin x \\ &= \int u\,du",
            [],
        ),
        (
            r"\int \sin x\cos x\,dx &= \int \cos x \sin x\,dx \hskip 1 truein u = \sin x \\ &= \int u^2\,du",
            [r"\int \cos x \sin x\,dx=\int u^2\,du"],
        ),
        # The letter of a chain stands for what the chain begins with.
        (
            r"I &= \int e^x\sin x\,dx \\ &= e^x\sin x - e^x\cos x - \int e^x\sin x\,dx \\"
            r" &= e^x\sin x - e^x\cos x - I",
            [],
        ),
    ],
)
def test_rows_go_on_from_what_they_calculate(
    proofreader: TextProofreader, rows: str, accused: list[str]
) -> None:
    assert _list_accused(proofreader, rf"\begin{{align*}} {rows} \end{{align*}}") == accused


@pytest.mark.parametrize(
    ("text", "accused"),
    [
        (r"So $\sqrt{9\sec^2\theta}=3|\sec\theta|=3\sec\theta$.", []),
        (r"So $\sqrt{9\sec^2\theta}=3|\sec\theta|=2\sec\theta$.", [r"3|\sec\theta|=2\sec\theta"]),
        (r"Let $g(x)=x\sqrt{1-x^2}$. Then $g(\sin t)=\sin t\cos t$.", []),
        (r"Let $g(x)=x\sqrt{1-x^2}$. Then $g(\sin t)=2\sin t\cos t$.", [r"g(\sin t)=2\sin t\cos t"]),
        (r"By the identity $\arctan a-\arctan b=\arctan\frac{a-b}{1+ab}$ it is small.", []),
        (
            r"By the identity $\arctan a-\arctan b=\arctan\frac{a-b}{1-ab}$ it is small.",
            [r"\arctan a-\arctan b=\arctan\frac{a-b}{1-ab}"],
        ),
        (r"We get $\operatorname{arsinh}\frac{x}{a}+C=\ln(x+\sqrt{x^2+a^2})+C$.", []),
        (
            r"We get $\operatorname{arsinh}\frac{x}{a}+C=\ln(2x+\sqrt{x^2+a^2})+C$.",
            [r"\operatorname{arsinh}\frac{x}{a}+C=\ln(2x+\sqrt{x^2+a^2})+C"],
        ),
        # A half axis is positive.
        (r"Hence $A=\int_0^a\sqrt{a^2-x^2}\,dx=\int_0^{\pi/2}a\cos t\cdot a\cos t\,dt$.", []),
        (
            r"Hence $A=\int_0^a\sqrt{a^2-x^2}\,dx=\int_0^{\pi/2}a\cos t\,dt$.",
            [r"\int_0^a\sqrt{a^2-x^2}\,dx=\int_0^{\pi/2}a\cos t\,dt"],
        ),
        # Identities of special numbers.
        (r"The identity $p^2+q^2+r^2=pq+qr+rp$ is one of equilateral triangles.", []),
        (r"The identity $(p+q)^2=p^2+q^2$ is well known.", ["(p+q)^2=p^2+q^2"]),
        (r"For all $p,q,r$ we have $p^2+q^2+r^2=pq+qr+rp$.", ["p^2+q^2+r^2=pq+qr+rp"]),
    ],
)
def test_signs_branches_and_conditions_are_those_that_are_meant(
    proofreader: TextProofreader, text: str, accused: list[str]
) -> None:
    assert _list_accused(proofreader, text) == accused


@pytest.mark.parametrize(
    ("text", "accused"),
    [
        ("Assume $m \\neq 0$. Then $p = q$, a contradiction. Thus $m = 0$.", []),
        ("Assume $m \\neq 0$. From $m^2=m$ we get $m = 0$.", ["m=0"]),
        ("For $t<0$ we have $t^2=1$. So we reject the solution that says $t=1$.", []),
        ("For $t<0$ we have $t^2=1$. So the solution is $t=1$.", ["t=1"]),
        # An arrow leads from an equation to the next; what leads to 9 = 0 has no solution.
        (r"It ends with the equation $5t+9-5t=0\rightarrow 9=0$.", []),
        (r"We solve $2t+1=5\rightarrow 2t=4\rightarrow t=3$.", ["t=3"]),
        (r"The sequence $a_n=\frac1n\rightarrow 0$ is null.", []),
    ],
)
def test_what_is_given_up_is_not_claimed(proofreader: TextProofreader, text: str, accused: list[str]) -> None:
    assert _list_accused(proofreader, text) == accused


@pytest.mark.parametrize(
    ("text", "accused"),
    [
        # Cycles as rows, identities in bold, numbers of combinations.
        (r"So $\begin{pmatrix}5&2&4\end{pmatrix}=\begin{pmatrix}2&4&5\end{pmatrix}$.", []),
        (
            r"So $\begin{pmatrix}5&2&4\end{pmatrix}=\begin{pmatrix}2&5&4\end{pmatrix}$.",
            [r"\begin{pmatrix}5&2&4\end{pmatrix}=\begin{pmatrix}2&5&4\end{pmatrix}"],
        ),
        (r"Let $M(t)=\begin{pmatrix}1&t\\0&1\end{pmatrix}$. Then $M(0)=\mathbf{1}$.", []),
        (r"Note that $C_{n+1}^2-C_n^2=C_n^1=n$.", []),
        # A mile in words for speed, tuples of decimals.
        (
            r"A speed of $6\frac{\text{m}}{\text{hr}}"
            r"=6\frac{\text{m}}{\text{hr}}\cdot 5280\frac{\text{ft}}{\text{m}}$.",
            [],
        ),
        (r"Thus $\left(\frac{19}8,\frac78\right)=(2.375,0.875)$.", []),
        (
            r"Thus $\left(\frac{19}8,\frac78\right)=(2.475,0.875)$.",
            [r"\left(\frac{19}8,\frac78\right)=(2.475,0.875)"],
        ),
    ],
)
def test_notations_of_other_things_than_numbers(
    proofreader: TextProofreader, text: str, accused: list[str]
) -> None:
    assert _list_accused(proofreader, text) == accused


_GERMAN = "Die Funktion und ihre Ableitung sind nicht gleich, denn es gilt hier für alle Werte das Folgende. "


@pytest.mark.parametrize(
    ("text", "accused"),
    [
        (r"Also muss $p=0,5$ sein. Dann ist $2p=1,0$.", []),
        (r"Also muss $p=0,5$ sein. Dann ist $2\cdot p=1,2$.", [r"2\cdot p=1{,}2"]),
        (r"Es folgt $\frac{25}3=8,\overline{3}$.", []),
        (r"Der Rechner zeigt $0.034\le 0,05$.", []),
        (r"Der Rechner zeigt $0.5\le 0,25$.", ["0.5<=0{,}25"]),
        (r"Der Rechner zeigt $0.5$ und $\frac{18201}{3000}\approx 6,067$.", []),
    ],
)
def test_decimal_commas_beside_points(proofreader: TextProofreader, text: str, accused: list[str]) -> None:
    assert _list_accused(proofreader, _GERMAN + text) == accused


@pytest.mark.parametrize(
    ("text", "accused"),
    [
        # A zero of vectors, an identity of a group, arguments of complex numbers.
        (r"Let $c(t)=(t^3,t^2)$. Then $c(0)=0$ and $c(1)=(1,1)$.", []),
        (r"Let $c(t)=(t^3,t^2)$. Then $c(1)=(1,2)$.", ["c(1)=(1,2)"]),
        (r"For all $a\in G$ we have $a\cdot e=e\cdot a=a$.", []),
        (r"Let $w=\cos\frac\pi3+i\sin\frac\pi3$. Note that $\arg(w^6)=6\arg(w)$.", []),
        # A value beside a differential equation is an initial one.
        ("A solution is $y=5e^{x^2}$, for example. The task $$y'=2xy, \\quad y(0)=3$$ is another one.", []),
        ("Let $f(x)=5e^{x^2}$. It satisfies $f'(x)=2xf(x)$. Then $f(0)=3$.", ["f(0)=3"]),
        # A row goes on from what stands before a remark.
        (
            r"$$\begin{aligned} & \lim_{x\to0}\frac{x-\sin x}{x^3} \\ & =\lim_{x\to 0}\frac{1-\cos x}{3x^2}"
            r" \quad \cos 0=1 \\ & =\frac16 \end{aligned}$$",
            [],
        ),
        (r"\begin{align*} 0.38&=0.74\cdot0.46\\ 0.38&\neq 0.3404 \end{align*}", []),
        (r"So $0.38=0.74\cdot0.46$.", [r"0.38=0.74\cdot0.46"]),
        # Versions, words of bits, scales, another modulus.
        ("As version numbers, $1.10>1.9$ and $1.10>1.11$.", ["1.10>1.11"]),
        ("With 8-bit unsigned integers, $250+10=4$ and $250+10=5$.", ["250+10=5"]),
        (r"On a map of this scale, $4\text{ cm}=1\text{ km}$.", []),
        (r"Note that $4\text{ cm}=1\text{ km}$.", [r"4\text{ cm}=1\text{ km}"]),
        (
            r"We know $2^{10}\equiv1\pmod{11}$. If $p=13$, then $5^2\equiv-1$ and $5^2\equiv 2$.",
            [r"5^2congruent2"],
        ),
        (
            r"We have $x\equiv 2\pmod 3$ and $x\equiv 3\pmod 4$. So $x\equiv 11\pmod{12}$. Therefore it"
            r" fits the equation $x\equiv 4\pmod 7$.",
            [],
        ),
        (
            "\\begin{enumerate}\\item Choose the sequence of steps that verifies it:\\begin{enumerate}"
            "\\item $2(x+1)=2x+2=2x+3$\\item $2(x+1)=2x+1=2x+2$\\end{enumerate}\\end{enumerate}",
            [],
        ),
        # A measured value, a letter that cancels, and the imaginary unit.
        (r"Theory says $\beta=\frac12$. The experiment has $\beta-1=(0.2\pm2.5)\times10^{-5}$.", []),
        (r"The ratio is $\frac{54L}{40L}\cdot\frac{3}{7}=0.58$.", []),
        (r"The ratio is $\frac{54L}{40L}\cdot\frac{3}{7}=0.68$.", [r"\frac{54L}{40L}\cdot\frac{3}{7}=0.68"]),
        # A unit that stands behind the formula of a value.
        (r"For $a=2\,\text{m/s}^2$ and $t=5$ s we get $v=at=10\,\text{m/s}$.", []),
        (
            r"For $a=2\,\text{m/s}^2$ and $t=5$ s we get $v=at=12\,\text{m/s}$.",
            [r"at=12\,\text{m/s}"],
        ),
        # Operations of the text's own, and of a puzzle.
        ("Denote by $a * b$ the operation $a+b-ab$. Then $2*3=-1$.", []),
        ("Denote by $a * b$ a product. Then $2*3=5$.", ["2*3=5"]),
        ("Solve this puzzle: $2+3=10$.", []),
        ("Solve this sum: $2+3=10$.", ["2+3=10"]),
        (r"We integrate: $\int\frac{dx}{x}=\ln x$.", []),
        (r"We integrate: $\int\frac{dx}{x}=\ln 2x^2$.", [r"\int\frac{dx}{x}=\ln 2x^2"]),
        # Convergents, which old books write with a sign of equality.
        (r"Euler has $\sqrt7=\frac{2024}{765}$.", []),
        (r"Euler has $\sqrt7=\frac{2025}{765}$.", [r"\sqrt7=\frac{2025}{765}"]),
        (r"He has $\sqrt2=\frac75$.", [r"\sqrt2=\frac75"]),
        # What holds for the whole numbers with which a sum ends, and zeros of several letters.
        (r"Therefore $1^3+2^3+\cdots+k^3<\frac{(k+1)^4}{4}$.", []),
        (r"Therefore $1^3+2^3+\cdots+k^3<\frac{k^4}{4}$.", [r"1^3+2^3+\cdots+k^3<\frac{k^4}{4}"]),
        (r"We have $0=r+s=y_1v_1+y_2v_2$ and $y_1=y_2=0$, so $r=s=0$.", []),
    ],
)
def test_what_values_are_said_of(proofreader: TextProofreader, text: str, accused: list[str]) -> None:
    assert _list_accused(proofreader, text) == accused
